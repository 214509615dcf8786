/**
 * Capture mode: nothing is sent. Each message is written into a folder as an .eml file, with a line for each recipient in an index. It is for
 * development, where no message may reach a real person.
 */
import { appendFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readWholeHeader } from '../../jmap/message/header-block.ts'
import { firstField, unfoldedText } from '../../jmap/message/headers.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import { makeFolders } from '../../server/base/make-folders.ts'
import { oneLine } from '../smtp/reply.ts'
import { type OutgoingMessage, sameResult, type Transport } from './transport.ts'

const CAPTURE_INDEX = 'index.txt'

const HEADING = 'time                      from -> to | subject | file\n'

export function createCaptureTransport(folder: string, clock: Clock, log: Logger): Transport {
  // Messages are written one after the other, so that lines of the index do not mix.
  let last: Promise<unknown> = Promise.resolve()
  return {
    send(message) {
      const written = last.then(async () => {
        try {
          const file = await capture(folder, message, clock.now())
          return sameResult(message.recipients, 'sent', `250 2.0.0 Captured, not sent: ${file}`, 'capture')
        } catch (error) {
          log.error({ folder, error: errorMessage(error) }, 'a message could not be captured')
          return sameResult(message.recipients, 'deferred', '451 4.3.0 The capture folder cannot be written', 'capture')
        }
      })
      last = written
      return written
    },
    async close() {
      await last
    },
  }
}

async function capture(folder: string, message: OutgoingMessage, now: number): Promise<string> {
  makeFolders(folder)
  const time = new Date(now).toISOString()
  const name = `${time.replace(/[:.]/g, '-')}-${message.id.replace(/[^A-Za-z0-9_-]/g, '_')}`
  const file = await freeName(folder, name)
  // The file gets its name when it is complete: people and programs watch the folder.
  const temporary = join(folder, `.${file}`)
  await writeFile(temporary, message.pieces)
  await rename(temporary, join(folder, file))
  const unsigned = message.pieces.at(-1)!
  const subject = firstField(readWholeHeader(unsigned).fields, 'Subject')
  const about = `${subject ? oneLine(unfoldedText(unsigned, subject)) : '(no subject)'} | ${file}`
  const lines = message.recipients.map(
    ({ address }) => `${time}  <${message.mailFrom}> -> <${oneLine(address)}> | ${about}\n`,
  )
  const index = join(folder, CAPTURE_INDEX)
  const isNew = !(await exists(index))
  await appendFile(index, (isNew ? HEADING : '') + lines.join(''))
  return file
}

async function freeName(folder: string, name: string): Promise<string> {
  for (let n = 1; ; n++) {
    const file = n === 1 ? `${name}.eml` : `${name}-${n}.eml`
    if (!(await exists(join(folder, file)))) return file
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
