import t from 'tap'
import { hasLongLine, wholeLines } from '../../../../mta/inbound/checks/authentication/whole-lines.ts'
import { SIGNED_LINE_MAX_BYTES } from '../../../../server/base/inbound-limits.ts'

t.test('a message comes in chunks of whole lines, however long its lines are', async (t) => {
  for (const line of [1, 2, 1_000, 65_535, 65_536, 65_537, 200_000]) {
    const body = Buffer.from(`${'x'.repeat(line - 1)}\n`.repeat(Math.ceil(500_000 / line)))
    for (const bytes of [body, body.subarray(0, -1), Buffer.concat([body, Buffer.from('rest')])]) {
      const chunks = [...wholeLines([bytes.subarray(0, line), bytes.subarray(line)])]
      t.ok(Buffer.concat(chunks).equals(bytes), `lines of ${line}`)
      t.ok(chunks.slice(0, -1).every((chunk) => chunk.at(-1) === 0x0a))
      t.ok(chunks.every(({ length }) => length <= Math.max(65_536, line + 4)))
    }
  }
})

t.test('a line beyond the bound is found, wherever it is', async (t) => {
  const line = (octets: number) => Buffer.alloc(octets, 'x').fill('\n', octets - 1)
  const [most, over] = [line(SIGNED_LINE_MAX_BYTES), line(SIGNED_LINE_MAX_BYTES + 1)]
  t.equal(hasLongLine(Buffer.concat([line(10), most, line(10), most])), false)
  t.equal(hasLongLine(most.subarray(0, -1)), false)
  for (const bytes of [over, Buffer.concat([line(10), over]), Buffer.concat([most, over, line(10)])])
    t.equal(hasLongLine(bytes), true)
})
