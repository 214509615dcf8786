/** Runs commands as another user, which takes a process: one for all of them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { runCommand } from './command-line.ts'
import type { Ended } from './posthouse.ts'

/** @param uid null: the user of this process, and no other process */
export async function runAs(uid: number | null, commands: readonly (readonly string[])[]): Promise<Ended[]> {
  if (uid === null) return runInOrder(commands)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-commands.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ uid, commands }))
  const [results, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`the process of the commands ended with ${code}`)
  return JSON.parse(results) as Ended[]
}

export async function runInOrder(commands: readonly (readonly string[])[]): Promise<Ended[]> {
  const results: Ended[] = []
  for (const args of commands) results.push(await runCommand(args))
  return results
}
