/** Words about a recipient: there is none, it moved, it is full, it is closed, or it refuses. */
import { IS, MAILBOX, NEAR, type ReasonRule, reasonRule } from './rule.ts'

const ABSENT = `(?:un-?known|unrecogni[sz]ed|not (?:known|found|exists?|existing|valid|listed|recogni[sz]ed|local|present|registered|defined|deliverable|a (?:known|valid|local|registered)|ok\\b)|in-?valid|non-?exist\\w*|undeliverable|missing|wrong|incorrect)`
const WRONG =
  '(?:un-?known|no such|in-?valid|non-?existent|bad|incorrect|unrecogni[sz]ed|undeliverable|illegal|wrong|mis-?spell?ed)'
const WHOSE =
  '(?:local|remote|destination|mail|e-?mail|virtual|forward-path|local[- ]?part|or illegal|or invalid|or unknown)'

export const UNKNOWN_USER: readonly ReasonRule[] = [
  reasonRule(
    'unknownUser',
    'mailbox-absent',
    'RFC 5321 4.2.3 (550); Postfix, sendmail, Exim',
    `\\b${MAILBOX}\\b${NEAR}\\b${IS}${ABSENT}`,
  ),
  reasonRule(
    'unknownUser',
    'absent-mailbox',
    'RFC 3463 3.2 (X.1.1); Postfix, Exim, Courier',
    `\\buser-?unknown\\b`,
    `\\b${WRONG}[\\s:]+(?:${WHOSE}\\s+){0,2}${MAILBOX}\\b`,
  ),
  reasonRule(
    'unknownUser',
    'no-mailbox',
    'qmail-send, vpopmail, Exchange',
    `\\bno (?:mail ?box|account|user|inbox|recipients?|valid recipients?|such|one|record of|matching)\\b.{0,24}(?:here|found|by that|with|named?|exists?|called|at th|available|in\\b)`,
    `there is no ${MAILBOX}`,
    '\\bno (?:such |valid )?(?:user|recipient|mailbox|account|person|address|alias|member)s?\\b',
  ),
  reasonRule(
    'unknownUser',
    'does-not-exist',
    'Gmail, Outlook.com, Yahoo',
    `(?:does|do|did)(?: not|n['’]?t) (?:seem to |appear to )?(?:exist|have an?\\b.{0,40}account|match)`,
    `${MAILBOX}${NEAR}(?: not|n['’]?t) (?:be )?(?:found|exist|located|resolved)`,
  ),
  reasonRule(
    'unknownUser',
    'could-not-find',
    'Exchange Online, Google Workspace',
    `(?:could|can) ?(?:not|n['’]?t) (?:find|locate)\\b.{0,40}${MAILBOX}`,
    `unable to (?:find|locate)\\b.{0,40}${MAILBOX}`,
  ),
  reasonRule(
    'unknownUser',
    'not-ours',
    'qmail (control/locals), Domino',
    `(?:is not|isn['’]t|not) (?:one of |in )?(?:our|my|a|an|the|any)\\b.{0,24}(?:${MAILBOX}|directory|list of valid|address book)`,
    'not listed in',
    '\\bno .{1,60} in (?:the )?(?:name |user )?directory',
    '>:?\\s*(?:was |is )?not found',
    'list of valid',
    '\\bnot in (?:the )?(?:directory|address book)',
  ),
  reasonRule(
    'unknownUser',
    'no-longer',
    'Yahoo, Exchange',
    `no longer (?:exists?|valid|available|active|in use|with|employ\\w*|works?|on (?:the )?server|accepts? mail)`,
  ),
  reasonRule(
    'unknownUser',
    'mailbox-unavailable',
    'RFC 5321 4.2.3 (550)',
    `(?:mail ?box|${MAILBOX}) (?:name )?(?:is )?(?:unavai?lable|not allowed|not available)`,
  ),
  reasonRule('unknownUser', 'resolver', 'Exchange (RESOLVER.ADR)', 'resolver\\.adr', 'recip(?:ient)?notfound'),
  reasonRule(
    'unknownUser',
    'unroutable-address',
    'Exim',
    'unrout\\w+ (?:address|mailbox)',
    'unable to route to address',
  ),
  reasonRule(
    'unknownUser',
    'recipient-refused',
    'RFC 5321 3.3 (550 to RCPT); Exchange, qmail',
    'reject\\w* (?:the )?recipients?\\b',
    'recipients? (?:is |was |were |has been )?(?:rejected|not accepted|not ok|denied)\\b',
    '(?<!(?:recipient|sender|client) )\\baddress rejected',
    "can['’]t accept user",
    'missing home directory',
  ),
  reasonRule(
    'unknownUser',
    'in-other-words',
    'Mailbox providers abroad',
    'nessun utente',
    'no existe .{0,12}(?:usuario|persona|cuenta|direcci)',
    '(?:usuario|destinatario|utente) (?:desconocido|no existe|inexistente|sconosciuto)',
    '(?:empf\\S{1,3}nger|benutzer|adresse) (?:ist )?unbekannt',
    '(?:utilisateur|destinataire) (?:inconnu|invalide)',
  ),
]

/** Said of unknown recipients in words that mean more elsewhere. */
export const RECIPIENT_REJECTED: readonly ReasonRule[] = [
  reasonRule(
    'unknownUser',
    'recipient-rejected',
    'Postfix; Exchange Online (directory based blocking)',
    'recipient address rejected(?:: access denied|\\.?\\s*$|\\. \\(in reply)',
    '\\bbad(?:rcpt|recipient)to\\b',
    'validrcptto',
  ),
]

export const MOVED: readonly ReasonRule[] = [
  reasonRule(
    'moved',
    'moved',
    'RFC 5321 3.4 (551); Postfix (relocated)',
    '(?:has|have|is|was)(?: been)? (?:moved|replaced by)\\b',
    'user not local; please try',
    'moved to\\b',
    'no longer (?:here|at this)',
  ),
  reasonRule(
    'moved',
    'new-address',
    'RFC 3463 3.2 (X.1.6)',
    '(?:new|changed) (?:e-?mail )?address',
    'address (?:has )?changed',
    '\\b5\\.1\\.6\\b',
    'please use (?!the|your|tls|a )',
  ),
]

const FULL = '(?:over ?-?(?:full|drawn)|(?:too )?full|exceed(?:ed|s|ing)?|out of (?:storage|space)|used up)'

export const MAILBOX_FULL: readonly ReasonRule[] = [
  reasonRule(
    'mailboxFull',
    'over-quota',
    'RFC 5321 4.2.3 (552); Dovecot, Cyrus, Gmail',
    'over.{0,16}quota',
    '\\bquota.{0,30}(?:exceed|full|exhaust|reach|violat|limit|over)',
    '(?:exceed|out of|over|above|beyond|reach)\\w*.{0,40}\\b(?:quota|storage (?:limit|allocat|capacity)|mail ?box (?:size|limit)|disk space limit|receiving limits)',
  ),
  reasonRule(
    'mailboxFull',
    'mailbox-full',
    'RFC 3463 3.3 (X.2.2); sendmail, Exim',
    `(?:mail ?box|inbox|mail ?dir|mail ?folder|account|user|storage|recipient|disk|space)\\S{0,3}\\b[^:;]{0,40}?\\b(?:is |was |are |has |been )*${FULL}\\b`,
    'full (?:mail ?box|inbox)',
    'mail(?:box)? size limit exceeded',
  ),
  reasonRule(
    'mailboxFull',
    'no-space-for-it',
    'Maildrop, Domino',
    `not (?:have )?(?:enough|sufficient) (?:mail ?box |storage |disk |free )?space`,
    'insufficient (?:disk|storage|mailbox|quota|free)(?: space)?(?! system)',
    'no space left on (?:mailbox|quota|device)',
    'too (?:much mail data|many messages (?:in|on) )',
  ),
]

export const DISABLED: readonly ReasonRule[] = [
  reasonRule(
    'disabled',
    'mailbox-disabled',
    'RFC 3463 3.3 (X.2.1); Gmail, Yahoo',
    `(?:${MAILBOX}|domain|service).{0,60}?\\b(?:disabled|suspended|in-?active|deactivated|locked|expired|closed|terminated|frozen|dormant|not active|discontinued|blocked|restricted|on hold|archived|limited|temporarily)`,
  ),
  reasonRule(
    'disabled',
    'disabled-mailbox',
    'RFC 3463 3.3 (X.2.1); Tencent',
    `(?:disabled|suspended|in-?active|locked|expired|deactivated|frozen|closed|archived) (?:e-?mail )?${MAILBOX}`,
    'suspend(?:ed)? the service',
    'not currently accepting',
    'out of business',
  ),
]

/** Certain: the recipient exists. */
export const SUSPENDED: readonly ReasonRule[] = [
  reasonRule(
    'disabled',
    'suspended',
    'Gmail, Exchange, vpopmail',
    `(?:${MAILBOX})\\b[^.;,]{0,40}\\b(?:is|has been|was) (?:currently |temporarily )?(?:disabled|suspended|deactivated|locked|frozen|terminated)\\b`,
    `\\b(?:user|account|mailbox) suspended\\b`,
    '(?:mail ?box|account|user)\\b[^.;,]{0,20}\\b(?:is|has been|was) blocked\\b',
    '\\binactivity\\b',
    'in-?active (?:user|account|mailbox)',
    'mailbox (?:disabled|currently suspended)',
  ),
]

export const FILTERED: readonly ReasonRule[] = [
  reasonRule(
    'filtered',
    'refused-by-user',
    'RFC 5429 (reject); Facebook, AOL',
    '(?:blocked|refused|rejected|filtered) by (?:the |this )?(?:recipient|user|addressee|mailbox owner)\\b(?! (?:domain|server|host|system))',
    '(?:user|recipient)\\b.{0,30}\\b(?:refuses?|rejects?|reject|is only accepting)\\b',
    '(?:recipient|user) (?:preferences|rules|settings)',
    'message (?:was )?filtered',
    'protected by\\b.{0,40}(?:challenge|verification|filter)',
    'not accepting any mail',
    'refuse to (?:receive|accept)',
  ),
]
