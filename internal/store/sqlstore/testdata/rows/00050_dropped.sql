-- A dropped order, whose names and addresses are to be taken.
UPDATE orders SET state = 'failed', done_at = created_at, dropped_at = created_at
    WHERE order_id = (SELECT MAX(order_id) FROM orders WHERE state = 'done');
