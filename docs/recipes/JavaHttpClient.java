// Mintmark in a test of Java 17 or newer, with java.net.http and nothing else.
//
// Run it with the program on the PATH, or named by MINTMARK:
//
//     MINTMARK=bin/mintmark java docs/recipes/JavaHttpClient.java

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class JavaHttpClient {
    record Webhook(String id, String timestamp, String signatures, byte[] body) {}

    static final HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    static String url, adminUrl, basic;

    static HttpResponse<String> send(String method, String to, String body, String authorization)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create(to)).timeout(Duration.ofSeconds(30))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (authorization != null) request.header("Authorization", authorization);
        return http.send(request.build(), BodyHandlers.ofString());
    }

    /** Calls the interface; a body makes it a POST. */
    static HttpResponse<String> call(String path, String body) throws Exception {
        return send(body == null ? "GET" : "POST", url + path, body, basic);
    }

    /** Moves the sandbox itself; that needs no credentials. */
    static HttpResponse<String> control(String method, String path, String body) throws Exception {
        return send(method, adminUrl + "/sandbox/v1/" + path, body, null);
    }

    /** The first member of a name in a text of JSON. Your program has a JSON library for this. */
    static String member(String json, String name) {
        var found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
        check(found.find(), "no " + name + " in " + json);
        return found.group(1);
    }

    static void check(boolean holds, String otherwise) {
        if (!holds) throw new AssertionError(otherwise);
    }

    /** Reports whether a webhook is signed with the secret (Standard Webhooks). */
    static boolean verified(String secret, Webhook webhook, byte[] body) throws Exception {
        var mac = Mac.getInstance("HmacSHA256");
        var key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((webhook.id() + "." + webhook.timestamp() + ".")
            .getBytes(StandardCharsets.UTF_8));
        var want = mac.doFinal(body);
        var age = Instant.now().getEpochSecond() - Long.parseLong(webhook.timestamp());
        if (Math.abs(age) > 300) return false;
        for (var one : webhook.signatures().split(" ")) {
            if (one.startsWith("v1,")
                    && MessageDigest.isEqual(want, Base64.getDecoder().decode(one.substring(3)))) {
                return true;
            }
        }
        return false;
    }

    static String order(String tag) throws Exception {
        var made = call("/card/initiate", """
            {"customerId":1001,"cardHolderCustomerId":1001,"vendorTypeCode":"VS",
             "primaryAccountId":2001,"firstName":"Ada","lastName":"Example",
             "nickName":"%s","tag":"%s"}""".formatted(tag, tag));
        check(made.statusCode() == 200, made.body());
        return member(call("/card/getbytag/1001/" + tag, null).body(), "cardId");
    }

    public static void main(String[] arguments) throws Exception {
        // 1. Start a sandbox of your own: free ports, data in memory. When it is ready it prints
        //    one line.
        var program = System.getenv().getOrDefault("MINTMARK", "mintmark");
        var sandbox = new ProcessBuilder(program, "sandbox", "--print-json",
            "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        var receiver = HttpServer.create(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try {
            var ready = new BufferedReader(new InputStreamReader(sandbox.getInputStream()))
                .readLine();
            url = member(ready, "url");
            adminUrl = member(ready, "adminUrl");
            basic = "Basic " + Base64.getEncoder().encodeToString(
                ("example1:" + member(ready, "example1")).getBytes(StandardCharsets.UTF_8));
            use(receiver);
        } finally {
            receiver.stop(0);
            sandbox.destroy();
            sandbox.waitFor();
        }
    }

    static void use(HttpServer receiver) throws Exception {
        // 2. Subscribe to events. The secret is shown once. Keep the bytes of a webhook as they
        //    came: the signature is over them.
        BlockingQueue<Webhook> webhooks = new LinkedBlockingQueue<>();
        receiver.createContext("/", exchange -> {
            var headers = exchange.getRequestHeaders();
            webhooks.add(new Webhook(headers.getFirst("webhook-id"),
                headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"),
                exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
        var subscribed = send("POST", adminUrl + "/admin/v1/programs/1/webhooks",
            "{\"name\":\"recipe\",\"url\":\"http://127.0.0.1:" + receiver.getAddress().getPort()
                + "/\"}",
            "Bearer sandbox-administrator");
        check(subscribed.statusCode() == 201, subscribed.body());
        var secret = member(subscribed.body(), "secret");

        // 3. Order a card, find it by its tag, and verify it.
        var card = order("recipe-1");
        var answer = call("/card/verify", """
            {"customerId":1001,"cardId":%s,"birthDate":"1985-03-14","cardNumberMasked":"1111"}"""
            .formatted(card));
        check(member(answer.body(), "status").equals("Verified"), answer.body());
        System.out.println("verified card " + card);

        // 4. Take the webhook about it, and check its signature before you read it.
        while (true) {
            var webhook = webhooks.poll(30, TimeUnit.SECONDS);
            check(webhook != null, "no webhook came");
            check(verified(secret, webhook, webhook.body()), "the signature is wrong");
            check(!verified(secret, webhook, new byte[] {1}), "another body passes");
            var event = new String(webhook.body(), StandardCharsets.UTF_8);
            if (member(event, "type").equals("card.verified")
                    && member(event, "cardId").equals(card)) {
                System.out.println("webhook " + member(event, "type"));
                break;
            }
        }

        // 5. Move the clock. A card that nobody has verified in 90 days has expired.
        var other = order("recipe-2");
        answer = control("PUT", "clock", "{\"advance\":\"P91D\"}");
        check(answer.statusCode() == 200, answer.body());
        answer = call("/card/get/1001/" + other, null);
        check(member(answer.body(), "status").equals("Expired"), answer.body());
        System.out.println("expired card " + other);

        // 6. Provoke an error: the next lock is answered 503, and the one after it works again.
        answer = control("POST", "faults",
            "{\"route\":\"/card/lock\",\"code\":50503,\"times\":1}");
        check(answer.statusCode() == 201, answer.body());
        var lock = "{\"customerId\":1001,\"cardId\":" + card + ",\"lockReasonTypeCode\":\"TMP\"}";
        answer = call("/card/lock", lock);
        check(answer.statusCode() == 503 && member(answer.body(), "code").equals("50503"),
            answer.body());
        answer = call("/card/lock", lock);
        check(member(answer.body(), "lockTypeCode").equals("CST"), answer.body());
        System.out.println("locked card " + card);
    }
}
