/**
 * A real Dovecot (Debian: dovecot-imapd, as root) on a free port of loopback, over TLS, with one user whose mail is a Maildir that the
 * caller fills. It logs nothing and keeps its own folder.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { freePort } from '../../bench/support/ports.ts'
import { answers, until } from './cyrus.ts'

export const DOVECOT_PASSWORD = 'secret'

export interface ImapPeer {
  readonly port: number
  readonly user: string
  readonly password: string
  /** PEM of the authority of its certificate. */
  readonly ca: string
  /** Kills the processes of its users: connections end in the middle. */
  cut(): void
  stop(): Promise<void>
}

/** @param mail Maildir++ of the user. It must exist. */
export async function startDovecot(mail: string): Promise<ImapPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-dovecot-'))
  const port = await freePort()
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  mkdirSync(join(folder, 'run'))
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'users'), `ada@example.org:{PLAIN}${DOVECOT_PASSWORD}\n`)
  writeFileSync(join(folder, 'dovecot.conf'), configuration(folder, mail, port))
  execFileSync('chown', ['-R', 'mail:mail', mail])
  execFileSync('chmod', ['755', folder])
  const master = spawn('dovecot', ['-F', '-c', join(folder, 'dovecot.conf')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await until(() => answers(port))
  return {
    port,
    user: 'ada@example.org',
    password: DOVECOT_PASSWORD,
    ca: cert,
    cut: () => void execFileSync('doveadm', ['-c', join(folder, 'dovecot.conf'), 'kick', 'ada@example.org']),
    async stop() {
      const ended = once(master, 'exit')
      master.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

function configuration(folder: string, mail: string, port: number): string {
  return `base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
mail_location = maildir:${mail}
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
first_valid_gid = 1
disable_plaintext_auth = no
auth_mechanisms = plain
mail_fsync = never
service imap-login {
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${port}
    ssl = yes
  }
}
service stats {
  unix_listener stats-writer {
    mode = 0666
  }
}
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${mail}
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Sent {
    special_use = \\Sent
  }
  mailbox Trash {
    special_use = \\Trash
  }
  mailbox Junk {
    special_use = \\Junk
  }
  mailbox Drafts {
    special_use = \\Drafts
  }
}
`
}
