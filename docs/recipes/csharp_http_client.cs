// Mintmark in a test of C#, with HttpClient and nothing else: .NET, or Mono 6.
//
// Run it with the program on the PATH, or named by MINTMARK:
//
//     mcs -r:System.Net.Http.dll -out:recipe.exe docs/recipes/csharp_http_client.cs
//     MINTMARK=bin/mintmark mono recipe.exe

using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

class Webhook
{
    public string Id, Timestamp, Signatures;
    public byte[] Body;
}

static class Recipe
{
    static readonly HttpClient http = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };
    static string url, adminUrl, basic;

    static (int Status, string Text) Send(string method, string to, string body, string authorization)
    {
        using (var request = new HttpRequestMessage(new HttpMethod(method), to))
        {
            if (body != null) request.Content = new StringContent(body, Encoding.UTF8, "application/json");
            if (authorization != null) request.Headers.Add("Authorization", authorization);
            using (var answer = http.SendAsync(request).Result)
                return ((int)answer.StatusCode, answer.Content.ReadAsStringAsync().Result);
        }
    }

    // Calls the interface; a body makes it a POST.
    static (int Status, string Text) Call(string path, string body = null) =>
        Send(body == null ? "GET" : "POST", url + path, body, basic);

    // Moves the sandbox itself; that needs no credentials.
    static (int Status, string Text) Control(string method, string path, string body) =>
        Send(method, adminUrl + "/sandbox/v1/" + path, body, null);

    // The first member of a name in a text of JSON. Your program has a JSON library for this.
    static string Member(string json, string name)
    {
        var found = Regex.Match(json, "\"" + name + "\":\"?([^\",}]*)");
        Check(found.Success, "no " + name + " in " + json);
        return found.Groups[1].Value;
    }

    static void Check(bool holds, string otherwise)
    {
        if (!holds) throw new Exception(otherwise);
    }

    // Reports whether a webhook is signed with the secret (Standard Webhooks).
    static bool Verified(string secret, Webhook webhook, byte[] body)
    {
        var key = Convert.FromBase64String(secret.Substring("whsec_".Length));
        var head = Encoding.UTF8.GetBytes(webhook.Id + "." + webhook.Timestamp + ".");
        using (var hmac = new HMACSHA256(key))
        {
            var want = Convert.ToBase64String(hmac.ComputeHash(head.Concat(body).ToArray()));
            var age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(webhook.Timestamp);
            return Math.Abs(age) < 300 && webhook.Signatures.Split(' ').Contains("v1," + want);
        }
    }

    static string Order(string tag)
    {
        var made = Call("/card/initiate", "{\"customerId\":1001,\"cardHolderCustomerId\":1001," +
            "\"vendorTypeCode\":\"VS\",\"primaryAccountId\":2001,\"firstName\":\"Ada\"," +
            "\"lastName\":\"Example\",\"nickName\":\"" + tag + "\",\"tag\":\"" + tag + "\"}");
        Check(made.Status == 200, made.Text);
        return Member(Call("/card/getbytag/1001/" + tag).Text, "cardId");
    }

    static int FreePort()
    {
        var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        var port = ((IPEndPoint)probe.LocalEndpoint).Port;
        probe.Stop();
        return port;
    }

    // Takes webhooks. Keep the bytes as they came: the signature is over them.
    static void Receive(HttpListener receiver, BlockingCollection<Webhook> webhooks)
    {
        while (true)
        {
            HttpListenerContext exchange;
            try { exchange = receiver.GetContext(); }
            catch (Exception) { return; } // the receiver was stopped
            var headers = exchange.Request.Headers;
            var body = new MemoryStream();
            exchange.Request.InputStream.CopyTo(body);
            webhooks.Add(new Webhook
            {
                Id = headers["webhook-id"], Timestamp = headers["webhook-timestamp"],
                Signatures = headers["webhook-signature"], Body = body.ToArray(),
            });
            exchange.Response.StatusCode = 204;
            exchange.Response.Close();
        }
    }

    static void Main()
    {
        // 1. Start a sandbox of your own: free ports, data in memory. When it is ready it prints
        //    one line.
        var program = Environment.GetEnvironmentVariable("MINTMARK") ?? "mintmark";
        var sandbox = Process.Start(new ProcessStartInfo(program, "sandbox --print-json " +
            "--listen 127.0.0.1:0 --admin-listen 127.0.0.1:0")
        { UseShellExecute = false, RedirectStandardOutput = true });
        var receiver = new HttpListener();
        var port = FreePort();
        receiver.Prefixes.Add("http://127.0.0.1:" + port + "/");
        try
        {
            var ready = sandbox.StandardOutput.ReadLine();
            url = Member(ready, "url");
            adminUrl = Member(ready, "adminUrl");
            basic = "Basic " + Convert.ToBase64String(
                Encoding.UTF8.GetBytes("example1:" + Member(ready, "example1")));
            receiver.Start();
            Use(receiver, port);
        }
        finally
        {
            receiver.Close();
            sandbox.Kill();
            sandbox.WaitForExit();
        }
    }

    static void Use(HttpListener receiver, int port)
    {
        // 2. Subscribe to events. The secret is shown once.
        var webhooks = new BlockingCollection<Webhook>();
        Task.Run(() => Receive(receiver, webhooks));
        var subscribed = Send("POST", adminUrl + "/admin/v1/programs/1/webhooks",
            "{\"name\":\"recipe\",\"url\":\"http://127.0.0.1:" + port + "/\"}",
            "Bearer sandbox-administrator");
        Check(subscribed.Status == 201, subscribed.Text);
        var secret = Member(subscribed.Text, "secret");

        // 3. Order a card, find it by its tag, and verify it.
        var card = Order("recipe-1");
        var answer = Call("/card/verify", "{\"customerId\":1001,\"cardId\":" + card +
            ",\"birthDate\":\"1985-03-14\",\"cardNumberMasked\":\"1111\"}");
        Check(Member(answer.Text, "status") == "Verified", answer.Text);
        Console.WriteLine("verified card " + card);

        // 4. Take the webhook about it, and check its signature before you read it.
        while (true)
        {
            Webhook webhook;
            Check(webhooks.TryTake(out webhook, TimeSpan.FromSeconds(30)), "no webhook came");
            Check(Verified(secret, webhook, webhook.Body), "the signature is wrong");
            Check(!Verified(secret, webhook, new byte[] { 1 }), "another body passes");
            var @event = Encoding.UTF8.GetString(webhook.Body);
            if (Member(@event, "type") != "card.verified" || Member(@event, "cardId") != card)
                continue;
            Console.WriteLine("webhook " + Member(@event, "type"));
            break;
        }

        // 5. Move the clock. A card that nobody has verified in 90 days has expired.
        var other = Order("recipe-2");
        answer = Control("PUT", "clock", "{\"advance\":\"P91D\"}");
        Check(answer.Status == 200, answer.Text);
        answer = Call("/card/get/1001/" + other);
        Check(Member(answer.Text, "status") == "Expired", answer.Text);
        Console.WriteLine("expired card " + other);

        // 6. Provoke an error: the next lock is answered 503, and the one after it works again.
        answer = Control("POST", "faults", "{\"route\":\"/card/lock\",\"code\":50503,\"times\":1}");
        Check(answer.Status == 201, answer.Text);
        var lockCard = "{\"customerId\":1001,\"cardId\":" + card + ",\"lockReasonTypeCode\":\"TMP\"}";
        answer = Call("/card/lock", lockCard);
        Check(answer.Status == 503 && Member(answer.Text, "code") == "50503", answer.Text);
        answer = Call("/card/lock", lockCard);
        Check(Member(answer.Text, "lockTypeCode") == "CST", answer.Text);
        Console.WriteLine("locked card " + card);
    }
}
