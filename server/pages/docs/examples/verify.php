<?php
/*
 * Checks the signature of a webhook delivery. PHP 7.4 or newer, nothing else.
 *
 *     WEBHOOK_SECRET=whsec_... php verify.php TIMESTAMP SIGNATURE < body
 */
const TOLERANCE_SECONDS = 300;

/** $signatures: X-Service-Signature and, if there is one, X-Service-Signature-Previous. $body: file_get_contents('php://input') */
function is_genuine(string $secret, string $timestamp, array $signatures, string $body): bool
{
    if (!preg_match('/^\d+$/D', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = hash_hmac('sha256', "v1=$timestamp\n$body", $secret);
    foreach ($signatures as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

$signatures = array_slice($argv, 2);
exit(is_genuine(getenv('WEBHOOK_SECRET'), $argv[1], $signatures, file_get_contents('php://stdin')) ? 0 : 1);
