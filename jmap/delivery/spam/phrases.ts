/** Typical phrases of spam, in lower case, by symbol. `wanted`: how many different phrases are needed. */

export interface Wording {
  readonly wanted: number
  readonly phrases: readonly string[]
}

function wording(wanted: number, text: string): Wording {
  return { wanted, phrases: text.split('|').map((phrase) => phrase.trim()) }
}

export const WORDINGS = {
  WORDS_ADVANCE_FEE: wording(
    3,
    'next of kin|beneficiary|inheritance|deceased|barrister|late husband|late father|late president|million dollars|million us dollars|million united states dollars|million usd|foreign account|foreign partner|strictly confidential|utmost confidence|utmost secrecy|business proposal|business proposition|bank draft|transfer the fund|transfer of the fund|transfer of this money|this transaction|sum of us$|the sum of|nigeria|cote d ivoire|dear friend|dear beneficiary|plane crash|atm card|diplomatic|god bless you|widow|donate|compensation fund|modalities|investment abroad|my late|50% of|30% of|40% of',
  ),
  WORDS_MEDICINE: wording(
    2,
    'viagra|cialis|levitra|pharmacy|prescription|prescriptions|weight loss|lose weight|burn fat|human growth hormone|growth hormone|hgh|herbal|penis|enlargement|erection|erectile|wrinkles|anti-aging|diet pills|pills|cbd|testosterone|libido|metabolism|no prior prescription|body fat|pheromone|pheromones|sexual',
  ),
  WORDS_CREDIT: wording(
    2,
    'mortgage|mortgages|refinance|refinancing|lowest rates|low rates|lower your|interest rates|interest rate|bad credit|perfect credit|credit report|consolidate|consolidation|debt|debts|credit card debt|home loan|loan|loans|lenders|life insurance|insurance quotes|term life|quote|equity',
  ),
  WORDS_EARNING: wording(
    2,
    'work at home|work from home|home based business|home business|make money|make big money|earn money|earn up to|financial freedom|financially independent|extra income|extra cash|own boss|residual income|mlm|multi level|network marketing|business opportunity|income opportunity|serious about|potential earnings|per month from home|while you sleep|passive income|get rich|legal and|investment of|reports|cash income|your income|thousands of dollars|turnkey',
  ),
  WORDS_URGING: wording(
    2,
    'act now|act today|limited time|click here|click below|click on the link|order now|order today|call now|call today|risk free|risk-free|100% free|absolutely free|completely free|money back guarantee|money-back|satisfaction guaranteed|satisfaction guarantee|no obligation|free trial|free gift|free access|free quote|free sample|free info|free information|special offer|buy now|100% guaranteed|guaranteed|no cost|no risk|for free|what are you waiting for|don t miss|once in a lifetime|this offer|offer expires|toll free|toll-free|full refund|save up to|lowest price|lowest prices|as seen on|congratulations|amazing|exclusive offer|free shipping|while supplies last|discount',
  ),
  WORDS_NOT_SPAM: wording(
    1,
    'this is not spam|not a spam|never sent unsolicited|is not unsolicited|not unsolicited|s 1618|bill 1618|s1618|section 301|one time mailing|one-time mailing|removed from our|removed from this|removed from future|removed from my|remove your email|remove your e-mail|remove in the subject|remove as the subject|remove in subject|removal instructions|to be removed from our|to be removed from this|to be removed from future|to be removed please|to be removed from the list|to be removed from the mailing|you have opted in|opted in|opt-in list|opt-in email|double opt-in|you have received this email because|you are receiving this email because|you are receiving this e-mail because|received this email in error|wish to receive further|not wish to receive|no longer wish to receive|do not wish to receive|like to be removed|prefer not to receive|further mailings|future mailings|future offers|from our partners',
  ),
  WORDS_SEX: wording(
    2,
    'xxx|porn|porno|pornstars|nude|naked|sex|sexy|horny|sluts|teens|girls|webcams|hardcore|adult site|over 18|18 years|adults only|live girls|lesbian|hot girls|hookup|singles|dating site|lonely|amateur|pussy|fuck|cum|must be 18',
  ),
  WORDS_PHISHING: wording(
    2,
    'verify your|confirm your account|confirm your identity|confirm your password|confirm your email|account has been suspended|account will be suspended|account has been limited|account will be closed|account suspended|unusual activity|unusual sign-in|suspicious activity|update your account|update your billing|update your payment|update your information|log in to your account|login to your account|dear customer|dear user|dear client|dear member|dear account holder|dear valued|mailbox is full|mailbox is almost full|mailbox quota|storage limit|password will expire|password expires|within 24 hours|within 48 hours|24 hours|your account|account information|billing information|avoid suspension|re-activate|reactivate|webmail|it help desk|validate your|security measure|pending messages|undelivered messages',
  ),
  WORDS_EXTORTION: wording(
    2,
    'bitcoin|bitcoins|btc|btc wallet|bitcoin address|recorded you|your webcam|your camera|masturbating|masturbate|hacked|i hacked|your password is|compromising|all your contacts|your contacts|adult websites|malware|trojan|rat software|you have 48 hours|50 hours|your device|delete the video|the video',
  ),
  WORDS_PRIZE: wording(
    2,
    'lottery|winning number|winning numbers|you have won|you won|been selected|prize|jackpot|claim your|lucky winner|winners|sweepstakes|casino|casinos|betting|gambling|free spins|bonus|gift card|ballot|lucky draw|reward',
  ),
  WORDS_SHARES: wording(
    2,
    'otc|otcbb|investor alert|price target|target price|forward looking statements|forward-looking statements|undervalued|ticker|strong buy|penny stock|hot stock|stock alert|stock pick|securities litigation|small cap|breakout|trading day|investors|crypto trading|forex|guaranteed profit|roi',
  ),
  WORDS_BULK_TRADE: wording(
    2,
    'bulk email|bulk e-mail|email addresses|e-mail addresses|million emails|million email|million addresses|email marketing|targeted leads|leads|seo|search engine|search engines|first page|page rank|rank your|website traffic|web traffic|backlinks|hosting|merchant account|credit cards|accept credit cards|advertise|advertising|web design|mobile app|increase sales|your website|your site|toner|cartridges|university diploma|diploma|degrees|rolex|replica|watches|cable descrambler|descrambler|oem software|copy dvd',
  ),
} as const satisfies Record<string, Wording>

export type WordingName = keyof typeof WORDINGS
