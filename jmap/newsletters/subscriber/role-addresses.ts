/**
 * Addresses of functions instead of persons: nobody can have opted in for all who read them. The npm packages with such lists are
 * without releases for years, or list names that persons may have, so that the list stands here (decision record 0037).
 */

/**
 * Names of RFC 2142 2 to 5, and those that at least two of four services publish as refused on import: Mailchimp ("Limits on Role-based
 * Addresses"), GetResponse ("Can I add role email addresses"), Mailingmanager ("Role Based Addresses") and NationBuilder ("Role-based
 * emails unsupported in blasts"), read in November 2026. Without `-`, `_` and `.`.
 */
const ROLES = new Set(
  `info marketing sales support abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp
  admin all billing compliance devnull dns everyone feedback inoc ispfeedback ispsupport jobs list listrequest maildaemon media
  noreply null phish phishing privacy registrar remove request root spam spamtrap subscribe sysadmin tech
  undisclosedrecipients unsubscribe users
  mailerdaemon donotreply`.split(/\s+/),
)

/** RFC 2142 6, and what list managers send from. */
const OF_LISTS = /(?:^owner-.|.-(?:request|owner|bounces)$)/

/** @param address normalized */
export function isRoleAddress(address: string): boolean {
  const local = address.slice(0, address.lastIndexOf('@'))
  const [name = ''] = local.split('+')
  return ROLES.has(name.replace(/[-_.]/g, '')) || OF_LISTS.test(name)
}
