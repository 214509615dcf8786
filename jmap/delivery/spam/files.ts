/** Symbols of attached files: names, types, and first octets. */
import { SPAM_ARCHIVE_MAX_BYTES } from '../../../server/base/spam-limits.ts'
import { decodePartBytes } from '../../message/decode.ts'
import type { BodyPart, ParsedMessage } from '../../message/structure.ts'
import type { Content } from './content.ts'
import type { Tally } from './tally.ts'

const PROGRAM =
  /\.(?:exe|scr|pif|com|bat|cmd|cpl|vbs|vbe|js|jse|wsf|wsh|hta|lnk|msi|msp|ps1|jar|reg|chm|dll|gadget|application|url|scf|inf|appx|msix)$/i
const DISK_IMAGE = /\.(?:iso|img|vhd|vhdx|one|xll|wim)$/i
const MACROS = /\.(?:docm|dotm|xlsm|xltm|xlsb|xlam|pptm|potm|ppsm|ppam|sldm)$/i
const TWO_ENDINGS = /\.(?:pdf|docx?|xlsx?|pptx?|txt|jpe?g|png|gif|mp3|mp4|html?|zip)[\s._-]{0,60}\.[a-z0-9]{2,4}$/i
const ARCHIVE = /\.(?:zip|rar|7z|gz|ace|arj|cab|z)$/i
const PAGE = /\.(?:html?|shtml|xhtml|svg|mht|mhtml)$/i
/** Characters that change the direction of text: `photo_gpj.exe` then shows as `photo_exe.jpg`. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/

export function judgeFiles({ structure }: ParsedMessage, { bytes }: Content, tally: Tally): void {
  for (const part of structure.parts) {
    if (part.subParts !== null) continue
    const isBody = structure.textBody.includes(part.number) || structure.htmlBody.includes(part.number)
    if (part.name !== null) judgeName(part.name, isBody, tally)
    if (!part.type.startsWith('text/') && part.type !== 'message/rfc822') judgeContent(bytes, part, tally)
  }
}

function judgeName(given: string, isBody: boolean, tally: Tally): void {
  const name = given.trim()
  if (TURNING.test(name)) tally.add('FILE_NAME_TURNED', name)
  if (PROGRAM.test(name)) {
    tally.add('FILE_PROGRAM', name)
    if (TWO_ENDINGS.test(name)) tally.add('FILE_TWO_ENDINGS', name)
  } else if (DISK_IMAGE.test(name)) tally.add('FILE_DISK_IMAGE', name)
  else if (MACROS.test(name)) tally.add('FILE_MACROS', name)
  else if (ARCHIVE.test(name)) tally.add('FILE_ARCHIVE', name)
  else if (PAGE.test(name) && !isBody) tally.add('FILE_PAGE', name)
}

function judgeContent(bytes: Buffer, part: BodyPart, tally: Tally): void {
  // Enough octets to detect the type of a file. Base64 takes four octets for three, and lines end.
  const head = decodePartBytes(bytes, { ...part, bodyEnd: Math.min(part.bodyEnd, part.bodyStart + 16) })
  const isProgram = head[0] === 0x4d && head[1] === 0x5a
  if (isProgram && !PROGRAM.test(part.name ?? '')) tally.add('FILE_PROGRAM_HIDDEN', part.name ?? part.type)
  const isZip = head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4
  if (isZip) judgeZip(bytes, part, tally)
}

/** Names in a ZIP (APPNOTE 4.3.7: local file headers), within the octets that were read. */
function judgeZip(bytes: Buffer, part: BodyPart, tally: Tally): void {
  const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + SPAM_ARCHIVE_MAX_BYTES)
  const zip = decodePartBytes(bytes, { ...part, bodyEnd })
  let at = 0
  while (at + 30 <= zip.length && zip.readUInt32LE(at) === 0x04034b50) {
    const flags = zip.readUInt16LE(at + 6)
    const packed = zip.readUInt32LE(at + 18)
    const nameEnd = at + 30 + zip.readUInt16LE(at + 26)
    const name = zip.toString('latin1', at + 30, Math.min(nameEnd, zip.length))
    if (flags & 1) tally.add('FILE_LOCKED_ARCHIVE', part.name ?? name)
    if (PROGRAM.test(name)) tally.add('FILE_PROGRAM_IN_ARCHIVE', name)
    if (/(?:^|\/)vbaProject\.bin$/i.test(name)) tally.add('FILE_MACROS', part.name ?? name)
    // Bit 3: the length follows the content, so the next header is searched.
    const next = flags & 8 ? zip.indexOf('PK\x03\x04', nameEnd, 'latin1') : nameEnd + zip.readUInt16LE(at + 28) + packed
    if (next <= at) return
    at = next
  }
}
