/** Words with which servers explain a refusal. Their repetitions are bounded, so that each takes linear time. */

/** `undefined`: no reason is given. */
export type BounceReason =
  | 'unknownUser'
  | 'unknownHost'
  | 'moved'
  | 'noMail'
  | 'mailboxFull'
  | 'disabled'
  | 'filtered'
  | 'tooLarge'
  | 'expired'
  | 'deferred'
  | 'network'
  | 'system'
  | 'spam'
  | 'virus'
  | 'blocked'
  | 'authentication'
  | 'sender'
  | 'policy'
  | 'undefined'

/** Words for each reason. The first match counts, so the more certain ones come first. */
export const REASON_WORDS: readonly (readonly [reason: BounceReason, words: RegExp])[] = [
  // A large provider, and Postfix, say this about unknown recipients.
  ['unknownUser', /recipient address rejected(?:: access denied|\.?\s*$)/i],
  ['unknownHost', /account or domain may not exist/i],
  [
    'network',
    /lost connection with|conversation with .{1,120} timed out|timed out while (?:send|receiv|perform)|host not found, try again|(?:domain|host|name server).{0,30}(?:temporar|tempfail)|hop count|mail loop|unexpected name server reply/i,
  ],
  [
    'authentication',
    /authentication (?:information|checks?)\b|\b(?:spf|dkim|dmarc)\b.{0,80}(?:fail|pass|check|verif|policy|unauth|reject|not |record)|(?:fail|not pass|violat|lack).{0,60}\b(?:spf|dkim|dmarc)\b|unauthenticated (?:e-?mail|mail|sender)|not accepted due to domain's|sender policy framework|is not allowed to send mail/i,
  ],
  // Exim asks the sender's own servers about the sender.
  ['sender', /(?:sender )?verif\w+ failed|callback setup failed|call ?(?:back|out) .{0,30}(?:fail|reject|verif)/i],
  [
    'mailboxFull',
    /over.{0,3}quota|quota.{0,25}(?:exceed|full|exhaust|reach|violat|limit)|(?:exceed|out of|over|above|beyond).{0,40}(?:quota|storage (?:limit|allocat)|mailbox (?:size|limit))|(?:mailbox|mail box|inbox|maildir|mail ?folder|account|user|storage|recipient).{0,40}\b(?:is |was |are )?(?:full|too full|over ?full|exceeded|out of (?:storage|space))\b|not enough (?:storage|disk|free)? ?space|insufficient (?:disk|storage|space|quota|free)|boite.{0,30}pleine|quota ?exceeded|mailbox size limit exceeded|no space left on (?:mailbox|quota)/i,
  ],
  [
    'tooLarge',
    /message (?:size|length|is|was|header)? ?.{0,40}(?:too (?:large|big)|exceeds? .{0,40}(?:size|limit|maximum))|size limit exceeded|too (?:large|big) (?:message|mail)|exceeds? (?:the )?(?:maximum )?(?:allowed )?(?:message )?size|line too long|max message size/i,
  ],
  ['virus', /\bvirus(?:es)?\b|malware|malicious|infected|trojan|phishing|worm detected/i],
  [
    'spam',
    /\bspam(?!haus|cop|\.[a-z])\b|spam[ -]?(?:like|score|content|mail|detected|filter)|looks like spam|\bjunk ?mail|unsolicited|bulk (?:e-?)?mail|\bube\b|blacklisted url|uribl|surbl|message content (?:rejected|refused)|rejected (?:due to|for|by) (?:content|dspam)|considered.{0,12}spam/i,
  ],
  [
    'blocked',
    /requireptr|reverse[ -]?(?:dns|lookup|resolution|hostname|address|mapping)|\br?dns (?:record )?of your|\bptr\b|\brdns\b|no host ?name|(?:cannot|could not|can't|unable to) (?:find|resolve|verify) your (?:reverse |host ?name|ip|domain)|client host (?:rejected|\[)|host ?name .{0,20}(?:invalid|rejected|does not match)|fix reverse dns|dynamic(?:ally)?.{0,20}\bip|black ?list|block ?list|\bdeny ?list|\b(?:dns)?rbl\b|\bdnsbl\b|spamhaus|spamcop|barracuda(?:central)?\.org|reputation|banned|\bip\b.{0,60}(?:block|reject|refus|denied|listed|bad)|(?:mail|message|server|address|connection|host|sender|e-?mail|domain) (?:was |is |has been |temporarily |currently )*blocked|blocked ip|daily .{0,20}quota|frequency limited|blocked (?:by|for|due|using|because|mail|from|at)|connection (?:refused|rejected|dropped).{0,10}(?:by (?:policy|administrator)|due to)|access (?:from ip address .{0,40})?(?:has been |is |was )?(?:denied|forbidden|block)|not (?:accept|permit)\w* (?:connections|mail|messages) from (?:your|this) (?:ip|host|server|network)|too many (?:connections|sessions|messages|recipients|errors|e-?mails?|concurrent|unknown)|rate.?limit|\bthrottl|unusual(?:ly)? (?:rate|traffic)|unexpected volume|user complaints|greeting|helo .{0,40}(?:reject|invalid|resolve)|bad (?:helo|dns)|domain .{0,40}mismatch|you are not allowed to connect|prohibited|poor/i,
  ],
  [
    'sender',
    /sender (?:address )?(?:verif\w+ )?(?:is )?(?:rejected|fail\w*|refused|denied|unknown|invalid|not|was rejected|blocked|domain)|(?:invalid|unroutable|unresolvable|unverifiable|bad|unknown|rejected) (?:sender|return ?path|reverse-path|mail from)|domain of sender|sender'?s? (?:address|domain|e-?mail).{0,60}(?:not|reject|fail|inval|resolv|exist)|after mail from|5\.1\.[78]\b|sender (?:email )?address|mail from .{0,60}(?:reject|refus|not|invalid|denied)|(?:you|sender) (?:are|is) not (?:allowed|authori[sz]ed|permitted)|backscatter|we do not accept .{0,20}bounces|(?:domain|from).{0,30}does not resolve|\bfrom: .{0,30}domain is invalid|not (?:permitted|allowed|have permission) to (?:post|send)|(?:not|n't) have permission to (?:post|send)|identities failed the check|authenticated? ?required|posting (?:access|to)/i,
  ],
  [
    'moved',
    /has moved|no longer (?:here|at this)|(?:new|changed) (?:e-?mail )?address|address (?:has )?changed|user not local; please try|5\.1\.6\b|has been replaced by|moved to|please use/i,
  ],
  [
    'noMail',
    /null ?mx|(?:indicated|has) no (?:smtp|mail) service|no mx found|\bnullmx\b|(?:host|domain|server|system) (?:does|do) not accept (?:any )?(?:mail|e-?mail|messages)|does not accept mail|never sends or receives|no mail (?:exchanger|server|hub)|mail (?:exchanger|server).{0,20}not (?:found|exist)|no mx (?:record|host)|mx (?:record )?(?:not found|points? to 0\.0\.0\.0)|smtp protocol (?:returned a permanent error|diag)|service not available at this host|name server.{0,8}: \S+: no data|5\.1\.10\b|couldn't find (?:any|a) (?:mail exchanger|host)/i,
  ],
  [
    'unknownHost',
    /(?:host|domain)(?: or domain)?(?: name)?(?: is| was)? (?:unknown|not found|invalid|does ?n[o']t exist|lookup fail\w*|not exist)|unknown (?:host|domain|server|mail ?server)|no such (?:host|domain|dns)|(?:domain|host) .{0,60}(?:not found|does ?n[o']t exist|could not be (?:found|resolved)|no longer exist|is not (?:valid|reachable)|cannot be (?:found|resolved))|nxdomain|unrout\w+ (?:mail )?domain|invalid (?:mail |recipient )?domain|name (?:or service )?not (?:known|found)|name or service not known|(?:account or domain|dns) .{0,20}(?:may not exist|lookup fail\w*|error)|mail domain mentioned|illegal host|bad destination (?:system|mailbox domain|host)|all relevant mx records point|domain is not reachable|(?<![@\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){1,9} does not exist|cannot (?:find|resolve) (?:the )?(?:domain|host|mail server)|could not resolve/i,
  ],
  [
    'unknownUser',
    /(?:user|account|mailbox|recipient|addressee|address|alias|login|name|person|local ?part|inbox|e-?mail(?: account| address)?|member|subscriber|customer|client)(?: name| account| address| ?\(?s\)?)?(?: you (?:tried|entered|specified))?[^.;]{0,60}?\b(?:is |was |are |has |does |do |could |can |be |been )*(?:unknown|not (?:known|found|exist|valid|listed|recogni[sz]ed|available|local|a (?:known|valid|local))|n[o']t (?:exist|found|be found|have|recogni[sz]ed)|not deliverable|invalid|no longer (?:exist|valid|available|active|with)|non-?exist\w*|undeliverable|unavailable|does ?n[o']t (?:exist|have))|(?:unknown|no such|invalid|non-?existent|bad|incorrect|unrecogni[sz]ed|undeliverable|unrouteable|unroutable|illegal|wrong) (?:local |remote |destination |mail |e-?mail |local[- ]?part |virtual )?(?:user|account|mailbox|recipient|address|addressee|alias|person|id|local ?part|name|login|subscriber|member|inbox)|no (?:mailbox|account|user|inbox|recipient|valid recipients?|such|record of)\b.{0,20}(?:here|found|by that|with|named?|exist|called|)|(?:does|do|did|is|was)(?: not|n't) (?:have|exist|appear|contain|know|have an|valid|found|a|our)\b.{0,30}(?:user|account|mailbox|recipient|address|yahoo|here|customer|member)?|not (?:a |our )?(?:valid|known|local|our|registered) (?:user|mailbox|recipient|address|customer|member|account)|user ?unknown|not listed in|(?:usuario|destinatario|utente) (?:desconocido|no existe|inexistente|sconosciuto)|(?:empf\S{1,3}nger|benutzer|adresse) (?:ist )?unbekannt|(?:utilisateur|destinataire) inconnu|there is no one|this address no longer|couldn't be found|wasn't found|list of valid|resolver\.adr|recipnotfound|no longer (?:employ|work)|\bno user\b|not? exist|is not in my|unable to find|isn't in my|not our customer|relay(?:ing)? (?:to )?.{0,20}unknown/i,
  ],
  [
    'disabled',
    /(?:account|mailbox|user|address|recipient|inbox|e-?mail|domain|service|customer).{0,60}(?:disabled|suspended|inactive|deactivated|locked|expired|closed|terminated|frozen|dormant|not active|discontinued|blocked|restricted|on hold|temporarily)|(?:disabled|suspended|inactive|locked|expired|deactivated|frozen|closed) (?:account|mailbox|user|recipient|address)|not currently accepting|out of business/i,
  ],
  [
    'policy',
    /polic(?:y|ies)|security|not (?:allowed|permitted|authori[sz]ed)|relay(?:ing)? (?:access )?(?:denied|not|prohibit|is)|unable to relay|must (?:use|issue|have|be|authent)|authenti?cat\w+|rfc ?\d+|compliant|malformed|missing .{0,20}header|header|attachment|extension|forbidden|rejected by|administrative|content|encrypt|starttls|\btls\b|acl\b|delivery not authorized|unacceptable|suspicious|unwanted|\breject(?:ed)?[.,]?(?:\s|$)|refuse\b/i,
  ],
  [
    'deferred',
    /gr[ae]y ?list|try again (?:later|in)|temporar(?:y|ily).{0,30}(?:defer|reject|unavail|fail)|please (?:try|retry)|deferred/i,
  ],
  [
    'expired',
    /(?:message|mail|delivery|it)?.{0,30}(?:expired|too (?:old|long in)|retry ?time ?(?:out)? exceeded|retry timeout|delivery (?:time|period) (?:has )?(?:expired|exceeded)|been in the queue too long|in queue too long|giv(?:en|ing) up|could not be delivered (?:for|within|after)|not delivered within|for (?:more than |over )?\d+ ?(?:hours?|days?|minutes?)|undelivered after|delivery attempts)|delayed|still (?:being|trying)|will (?:be retried|keep trying|continue)|has not (?:yet )?been delivered|timed? ?out/i,
  ],
  [
    'network',
    /connect(?:ion)? ?(?:to |with )?.{0,40}(?:refused|timed? ?out|reset|lost|dropped|closed|fail\w*|broken)|network .{0,20}(?:unreach|error|problem|down)|no route|host .{0,60}(?:unreachable|not respond\w*|down)|loop|too many hops|hop count|mail forwarding|unable to (?:connect|contact)|could not (?:connect|contact|establish)|not responding|dns .{0,20}(?:time|fail)|tempfail|mx .{0,20}lookup|cannot connect|handshake/i,
  ],
  [
    'system',
    /(?:internal|local|system|server|software|configuration|operating system|ldap|i\/o|disk|database|queue) (?:error|fail\w*|problem|fault)|out of (?:memory|disk)|no space|service (?:unavailable|currently)|mail system|resources|lock|pipe|child|exit(?:ed)? (?:status|code)|command (?:died|failed|output)|unable to (?:open|write|run|deliver)|can(?:not|'t) (?:open|create|lock|write|exec)|mailer|procmail|unexpected/i,
  ],
]
