/**
 * Haraka, another mail server for Node, if it is installed beside the project: the environment variable HARAKA names the folder of its
 * package, with the package haraka-plugin-relay beside it. It accepts all mail for relaying and writes it to its queue on disk (fsync);
 * nothing is sent on.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Haraka {
  readonly pid: number
  stop(): Promise<void>
}

/** null: it is not installed. */
export function harakaProgram(): string | null {
  const program = process.env['HARAKA'] ? join(process.env['HARAKA'], 'bin/haraka') : null
  return program && existsSync(program) ? program : null
}

export function startHaraka(program: string, port: number): Haraka {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-haraka-'))
  mkdirSync(join(folder, 'config'))
  mkdirSync(join(folder, 'queue'))
  const config = {
    'smtp.ini': `listen=127.0.0.1:${port}\nnodes=0\n`,
    plugins: 'relay\n',
    'relay.ini': '[relay]\nacl=true\n',
    relay_acl_allow: '127.0.0.0/8\n',
    // Accepted and stored, never sent.
    'outbound.ini': 'disabled=true\n',
    'log.ini': '[main]\nlevel=error\n',
    loglevel: 'ERROR\n',
    // Haraka fails without these sections.
    'connection.ini': '[main]\n[haproxy]\n[headers]\n[max]\n[message]\n[uuid]\nbanner_chars=0\ndeny_chars=0\n',
    me: 'mail.example.test\n',
  }
  for (const [name, text] of Object.entries(config)) writeFileSync(join(folder, 'config', name), text)
  const child = spawn(process.execPath, [program, '-c', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    pid: child.pid!,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
