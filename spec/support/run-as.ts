/** Runs commands as another user, which takes a process. It cannot write the cache of compiled files, so one process runs all of them. */
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
    uid,
    gid: uid,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(commands))
  const [results, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`the process of the commands ended with ${code}`)
  return JSON.parse(results) as Ended[]
}

export async function runInOrder(commands: readonly (readonly string[])[]): Promise<Ended[]> {
  const results: Ended[] = []
  for (const args of commands) results.push(await runCommand(args))
  return results
}
