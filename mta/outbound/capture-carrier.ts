/**
 * Sends nothing: writes what would have been sent into a folder, one .eml a message, and a line for each recipient into index.txt.
 * For development, where a mail that reaches a real person is an accident.
 */
import { appendFile, mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readWholeHeader } from '../../jmap/mail/message/header-block.ts'
import { firstField, unfoldedText } from '../../jmap/mail/message/headers.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import { oneLine } from '../smtp/reply.ts'
import { type Carrier, type OutgoingMail, outcomes } from './carrier.ts'

const CAPTURE_INDEX = 'index.txt'

const HEADING = 'time                      from -> to | subject | file\n'

export function createCaptureCarrier(folder: string, clock: Clock, log: Logger): Carrier {
  // One after the other, so that lines of the index do not mix.
  let last: Promise<unknown> = Promise.resolve()
  return {
    carry(mail) {
      const mine = last.then(async () => {
        try {
          const file = await capture(folder, mail, clock.now())
          return outcomes(mail.recipients, 'sent', `250 2.0.0 Captured, not sent: ${file}`, 'capture')
        } catch (error) {
          log.error({ folder, error: errorMessage(error) }, 'a message could not be captured')
          return outcomes(mail.recipients, 'deferred', '451 4.3.0 The capture folder cannot be written', 'capture')
        }
      })
      last = mine
      return mine
    },
    async close() {
      await last
    },
  }
}

async function capture(folder: string, mail: OutgoingMail, now: number): Promise<string> {
  await mkdir(folder, { recursive: true })
  const time = new Date(now).toISOString()
  const name = `${time.replace(/[:.]/g, '-')}-${mail.id.replace(/[^A-Za-z0-9_-]/g, '_')}`
  const file = await freeName(folder, name)
  // Under its name only when it is whole: people and programs watch the folder.
  const temporary = join(folder, `.${file}`)
  await writeFile(temporary, mail.bytes)
  await rename(temporary, join(folder, file))
  const subject = firstField(readWholeHeader(mail.bytes).fields, 'Subject')
  const about = `${subject ? oneLine(unfoldedText(mail.bytes, subject)) : '(no subject)'} | ${file}`
  const lines = mail.recipients.map(
    ({ address }) => `${time}  <${mail.mailFrom}> -> <${oneLine(address)}> | ${about}\n`,
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
