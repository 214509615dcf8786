import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks the signature of a webhook delivery. Java 17 or newer, nothing else.
 *
 *     WEBHOOK_SECRET=whsec_... java verify.java TIMESTAMP SIGNATURE < body
 */
class Verify {
    private static final long TOLERANCE_SECONDS = 300;

    /**
     * @param signatures X-Service-Signature and, if there is one, X-Service-Signature-Previous
     * @param body the received octets
     */
    static boolean isGenuine(String secret, String timestamp, List<String> signatures, byte[] body) throws Exception {
        if (!timestamp.matches("[0-9]{1,18}")) return false;
        long away = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
        if (Math.abs(away) > TOLERANCE_SECONDS) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update(("v1=" + timestamp + "\n").getBytes(StandardCharsets.UTF_8));
        byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes(StandardCharsets.UTF_8);
        for (String given : signatures)
            if (MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected)) return true;
        return false;
    }

    public static void main(String[] args) throws Exception {
        List<String> signatures = Arrays.asList(args).subList(1, args.length);
        byte[] body = System.in.readAllBytes();
        System.exit(isGenuine(System.getenv("WEBHOOK_SECRET"), args[0], signatures, body) ? 0 : 1);
    }
}
