/** The process of run-as.ts: reads a list of commands, each a list of arguments, and prints the list of their results, both as JSON. */
import { text } from 'node:stream/consumers'
import { runInOrder } from './run-as.ts'

const results = await runInOrder(JSON.parse(await text(process.stdin)))
process.stdout.write(JSON.stringify(results), () => process.exit(0))
