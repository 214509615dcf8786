/** Words about the domain of a recipient, and its hosts. */
import { type ReasonRule, reasonRule } from './rule.ts'

export const NO_MAIL: readonly ReasonRule[] = [
  reasonRule(
    'noMail',
    'null-mx',
    'RFC 7505 4.1 (X.1.10); Postfix, Exim',
    'null ?mx',
    '(?:indicated|has) no (?:smtp|mail) service',
    '(?:never|does not) (?:sends? or )?receives? (?:e-?)?mail',
    '\\b5\\.1\\.10\\b(?!.{0,20}resolver)',
    '0\\.0\\.0\\.0',
  ),
  reasonRule(
    'noMail',
    'host-takes-no-mail',
    'RFC 7504 4 (521, 556)',
    "(?:host|domain|server|system|site)\\S{0,24} (?:does|do|will) ?(?:not|n['’]?t) accept (?:any )?(?:e-?mail|mail|messages)",
    'does not accept (?:e-?)?mail\\b(?! from)',
    'mail receiving disabled',
    'service not available at this host',
    'smtp protocol (?:returned a permanent error|diag)',
    'no route for current request',
  ),
  reasonRule(
    'noMail',
    'no-mail-exchanger',
    'RFC 5321 5.1; sendmail, OpenSMTPD',
    'no (?:mail exchangers?|mail server|mail hub|mx(?: record| host)?s?)\\b(?:.{0,24}(?:found|for|exist))?',
    '(?:mail exchanger|mail server|mx(?: records?)?)\\b.{0,24}not (?:found|exist)',
    "(?:can ?not|could ?n[o'’]t|couldn['’]t) find (?:any|a) (?:mail exchanger|mail server|host)",
    'name server.{0,8}: \\S+: no data',
  ),
]

export const UNKNOWN_HOST: readonly ReasonRule[] = [
  reasonRule(
    'unknownHost',
    'host-absent',
    'RFC 3463 3.2 (X.1.2); Postfix, sendmail, qmail',
    "(?:host|domain|site|server)(?: or domain)?(?: ?name)?\\b(?: is| was| does| do| must)? ?(?:un-?known|not (?:be )?(?:found|exist|valid|known|reachable|resolved)|invalid|n[o'’]?t exist|must exist|exist|lookup fail\\w*)",
    "(?:domain|host(?:name)?) \\S{0,80} ?(?:not found|does ?(?: not|n['’]?t) exist|could not be (?:found|resolved)|no longer exists?|is not (?:valid|reachable)|cannot be (?:found|resolved)|unknown|is unknown)",
    "(?<![@\\w.-])[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,9} (?:does not|doesn['’]?t) exist",
    "remote domain does ?n['’]?t exist",
  ),
  reasonRule(
    'unknownHost',
    'absent-host',
    'RFC 3463 3.2 (X.1.2); Exim, Smail',
    '(?:unknown|no such|invalid|illegal|bad|unrout\\w+|non-?existent)(?: or invalid)? (?:mail |recipient |destination |e-?mail )*(?:host|domain|server|mail ?server|mail ?host|dns|system)',
    'all relevant mx records point',
    'bad destination (?:system|mailbox domain|host)',
  ),
  reasonRule(
    'unknownHost',
    'name-not-resolved',
    'RFC 1035 4.1.1 (NXDOMAIN); DragonFly, Exchange',
    'nxdomain',
    'name or service not known',
    '(?:could|can) ?not (?:resolve|find)\\b.{0,40}(?:domain|host|mail server|name)',
    'could not resolve',
    'dns lookup (?:fail|error)',
    '(?:account or domain|dns) .{0,24}(?:may not exist|error)',
    'mail domain mentioned',
  ),
]
