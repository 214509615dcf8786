# Checks the signature of a webhook delivery. Ruby 2.7 or newer, nothing else.
#
#     WEBHOOK_SECRET=whsec_... ruby verify.rb TIMESTAMP SIGNATURE < body

require "openssl"

TOLERANCE_SECONDS = 300

# signatures: X-Service-Signature and, if there is one, X-Service-Signature-Previous. body: the received octets.
def genuine?(secret, timestamp, signatures, body)
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= TOLERANCE_SECONDS

  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "v1=#{timestamp}\n".b + body)
  signatures.any? do |given|
    given.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(given, expected)
  end
end

timestamp, *signatures = ARGV
exit(genuine?(ENV.fetch("WEBHOOK_SECRET"), timestamp, signatures, $stdin.binmode.read) ? 0 : 1)
