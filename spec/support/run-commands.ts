/**
 * The process of run-as.ts: reads the number of a user and a list of commands, each a list of arguments, and prints the list of their
 * results, all as JSON.
 */
import { text } from 'node:stream/consumers'
// Loaded before the change of the user, who cannot read the cache of compiled files.
import '../../server/server.ts'
import { runInOrder } from './run-as.ts'

const { uid, commands } = JSON.parse(await text(process.stdin)) as { uid: number; commands: string[][] }
process.setgroups!([])
process.setgid!(uid)
process.setuid!(uid)
const results = await runInOrder(commands)
process.stdout.write(JSON.stringify(results), () => process.exit(0))
