-- A customer whose name and telephone numbers are searched for.
UPDATE customers SET last_name = 'van der Berg', mobile_phone = '+31 (20) 555-0199';
