import t from 'tap'
import { MessageTexts } from '../../rest/shapes/message-texts.ts'
import { REST_MESSAGE_TEXTS_CHARS } from '../../server/base/limits.ts'

t.test('the texts that were used last are kept', async (t) => {
  const texts = new MessageTexts()
  const quarter = 'x'.repeat(REST_MESSAGE_TEXTS_CHARS / 4)
  for (const id of ['a', 'b', 'c', 'd']) texts.keep(id, true, quarter)
  t.equal(texts.find('a', true), quarter, 'control: all of them fit')
  texts.keep('e', true, quarter)
  t.same(
    ['a', 'b', 'c', 'd', 'e'].filter((id) => texts.find(id, true) !== undefined),
    ['a', 'c', 'd', 'e'],
  )
})

t.test('texts with bodies and without are kept apart', async (t) => {
  const texts = new MessageTexts()
  texts.keep('a', true, 'whole')
  t.equal(texts.find('a', false), undefined)
  texts.keep('a', false, 'bare')
  t.equal(texts.find('a', true), 'whole')
})
