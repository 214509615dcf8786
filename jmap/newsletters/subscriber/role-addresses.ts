/**
 * Addresses of functions instead of persons: nobody can have opted in for all who read them. The names are those of
 * role-based-email-addresses (npm) in its groups of marketing and notification. Its group `OTHER` has names and words that persons have
 * (`alexa`, `berlin`, `hello`), so that of those only the ones below count (decision record 0037).
 */
import roles from 'role-based-email-addresses'

/**
 * Names of RFC 2142 2 to 5, and those that at least two of four services publish as refused on import: Mailchimp ("Limits on Role-based
 * Addresses"), GetResponse ("Can I add role email addresses"), Mailingmanager ("Role Based Addresses") and NationBuilder ("Role-based
 * emails unsupported in blasts"), read in November 2026.
 */
const NAMES = `info marketing sales support abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp
  admin all billing compliance devnull dns everyone feedback inoc ispfeedback ispsupport jobs list maildaemon media
  null phish phishing privacy registrar remove request root spam spamtrap subscribe sysadmin tech
  undisclosed-recipients unsubscribe users`.split(/\s+/)

const ROLES = new Set([...NAMES, ...roles.MARKETING, ...roles.NOTIFICATION].map(plain))

/** `no.reply` and `no_reply` are `no-reply`. */
function plain(name: string): string {
  return name.replace(/[-_.]/g, '')
}

/** RFC 2142 6, and what list managers send from. */
const OF_LISTS = /(?:^owner-.|.-(?:request|owner|bounces)$)/

/** @param address normalized */
export function isRoleAddress(address: string): boolean {
  const local = address.slice(0, address.lastIndexOf('@'))
  const [name = ''] = local.split('+')
  return ROLES.has(plain(name)) || OF_LISTS.test(name)
}
