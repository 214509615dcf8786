/** Runs scripts on messages, for the tests of Sieve. */
import {
  compileScript,
  mailboxPaths,
  runScript,
  type SieveAction,
  type SieveEnvironment,
  SieveMessage,
  type SieveOutcome,
} from '../../../jmap/sieve/index.ts'

/** 2026-01-15 10:20:30 UTC, a Thursday. */
export const NOW = Date.UTC(2026, 0, 15, 10, 20, 30)

export const MESSAGE = `From: Ada Lovelace <ada@example.org>
To: Grace <grace+work@example.test>, alan@example.test
Cc: team: bob@example.net, carol@example.net;
Subject: =?utf-8?q?Caf=C3=A9?= report
Date: Wed, 31 Dec 2025 23:30:00 -0500
Message-ID: <one@example.org>
Received: from a by b; Thu, 1 Jan 2026 04:31:00 +0000
Received: from c by d; Thu, 1 Jan 2026 04:30:30 +0000
X-Number: 007
X-Empty:

Hello Grace,
the report is attached.
`

export const MAILBOXES = mailboxPaths([
  { id: 1, name: 'Inbox', parent: 0, role: 'inbox' },
  { id: 2, name: 'Junk', parent: 0, role: 'junk' },
  { id: 3, name: 'Work', parent: 0, role: null },
  { id: 4, name: '2026', parent: 3, role: null },
])

export type Surroundings = Partial<SieveEnvironment> & { readonly text?: string }

/** @throws Error if it does not compile */
export function run(script: string, { text = MESSAGE, ...given }: Surroundings = {}): SieveOutcome {
  const result = compileScript(script)
  if ('error' in result) throw new Error(`line ${result.error.line}: ${result.error.message}`)
  return runScript(result.script, {
    message: new SieveMessage(Buffer.from(text.replaceAll('\n', '\r\n'))),
    envelope: { from: 'bounce+7@example.org', to: 'grace+work@example.test' },
    now: NOW,
    mailboxes: MAILBOXES,
    spam: null,
    isDuplicate: () => false,
    settings: { mayRedirect: true },
    ...given,
  })
}

/** Whether a test is true. @param requires capabilities, separated by spaces */
export function holds(requires: string, test: string, more: Surroundings = {}): boolean {
  const { actions, error } = run(`require ["fileinto"${list(requires)}]; if ${test} { fileinto "Work"; }`, more)
  if (error !== null) throw new Error(error)
  return actions[0]?.kind === 'fileinto'
}

/** Why a text is not a script, as `line: words`; null: it is one. */
export function refusal(script: string): string | null {
  const result = compileScript(script)
  return 'error' in result ? `${result.error.line}: ${result.error.message}` : null
}

export function list(capabilities: string): string {
  return capabilities
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => `, "${name}"`)
    .join('')
}

export const KEPT: SieveAction = { kind: 'keep', flags: [], implicit: true }
export const IN_WORK: SieveAction = { kind: 'fileinto', target: { id: 3, path: 'Work' }, flags: [] }
