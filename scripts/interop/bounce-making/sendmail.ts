/** sendmail. A queue that returns mail after a second stands for expiry; it also warns. */
import type { MailServer } from './mail-server.ts'
import { failed, MANY_HOPS } from './world.ts'

const configuration = (back: string, warn: string): string => `divert(0)dnl
include(\`/usr/share/sendmail/cf/m4/cf.m4')dnl
OSTYPE(\`debian')dnl
define(\`confDOMAIN_NAME', \`mta.test')dnl
define(\`confTO_QUEUERETURN', \`${back}')dnl
define(\`confTO_QUEUEWARN', \`${warn}')dnl
define(\`confTO_ICONNECT', \`2s')dnl
define(\`confTO_CONNECT', \`2s')dnl
define(\`confTO_INITIAL', \`2s')dnl
define(\`confTO_DATAFINAL', \`3s')dnl
define(\`confTO_RESOLVER_RETRANS', \`1s')dnl
define(\`confTO_RESOLVER_RETRY', \`1')dnl
define(\`confMAX_HOP', \`10')dnl
define(\`confMAX_MESSAGE_SIZE', \`0')dnl
define(\`confMIN_QUEUE_AGE', \`0')dnl
define(\`ALIAS_FILE', \`/etc/mail/made-aliases')dnl
FEATURE(\`mailertable', \`text -k0 -v1 -z| /etc/mail/made-mailertable')dnl
FEATURE(\`promiscuous_relay')dnl
FEATURE(\`accept_unqualified_senders')dnl
FEATURE(\`accept_unresolvable_domains')dnl
DAEMON_OPTIONS(\`Name=MTA, Addr=127.0.0.1, Port=25')dnl
MAILER(\`local')dnl
MAILER(\`smtp')dnl
LOCAL_CONFIG
Cwlocal.test
`

const FILES = {
  '/etc/mail/made-aliases': `loop1: loop2
loop2: loop1
exit67: "|/bin/sh -c 'exit 67'"
exit69: "|/bin/sh -c 'echo the database is down; exit 69'"
exit1: "|/bin/false"
missing: "|/usr/bin/no-such-program"
file: /no/such/folder/file
include: :include:/no/such/list
old: nobody.at.all
closed: ann@closed.test
gone: ann@gone.test
left: ann@left.test
postmaster: root
`,
  '/etc/mail/made-mailertable': `closed.test|error:5.7.1:550 mail to this domain is not allowed here
gone.test|error:nohost:550 this domain is gone
left.test|error:nouser:550 no such user here
`,
}

export const SENDMAIL: MailServer = {
  name: 'sendmail',
  packages: ['sendmail-bin', 'sendmail-cf', 'm4'],
  files: { ...FILES, '/etc/mail/made.mc': configuration('1s', '5d') },
  delayFiles: { ...FILES, '/etc/mail/made.mc': configuration('5d', '1s') },
  start: `m4 /etc/mail/made.mc > /etc/mail/sendmail.cf 2>/tmp/m4.log
mkdir -p /var/spool/mqueue /var/run/sendmail/mta; rm -f /var/spool/mqueue/*
chown root:root /var/spool/mqueue; chmod 700 /var/spool/mqueue
mkdir -p /var/lib/sendmail/host_status
sendmail-mta -C /etc/mail/sendmail.cf -bi >/dev/null
sendmail-mta -C /etc/mail/sendmail.cf -bd -q1s`,
  own: [
    { kind: 'alias of an unknown user', expected: [failed('old@local.test', 'hard')] },
    { kind: 'alias loop', expected: [failed('loop1@local.test', 'soft')] },
    { kind: 'command: no user', expected: [failed('exit67@local.test', 'hard')] },
    { kind: 'command: unavailable', expected: [failed('exit69@local.test', 'soft')] },
    { kind: 'command: failed', expected: [failed('exit1@local.test', 'soft')] },
    { kind: 'command: missing', expected: [failed('missing@local.test', 'soft')] },
    { kind: 'file: missing', expected: [failed('file@local.test', 'soft')] },
    { kind: 'list: missing', expected: [failed('include@local.test', 'soft')] },
    { kind: 'domain closed', expected: [failed('closed@local.test', 'policy')] },
    { kind: 'domain gone', expected: [failed('gone@local.test', 'hard')] },
    { kind: 'user gone', expected: [failed('left@local.test', 'hard')] },
    {
      kind: 'too many hops',
      fields: MANY_HOPS,
      expected: [failed('ann@good.test', 'soft')],
    },
  ],
  // It takes the failure of a name server of the exchanger for a permanent one.
  without: ['TLS required', 'TLS fails', 'SMTPUTF8 not offered', 'SERVFAIL of the MX'],
}
