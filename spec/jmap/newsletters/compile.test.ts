import t from 'tap'
import { compile } from '../../../jmap/newsletters/newsletter/compile.ts'
import { isFailure } from '../../../server/base/errors.ts'
import { RENDERINGS_WAITING_PER_ORGANIZATION_MAX } from '../../../server/base/newsletter-limits.ts'
import { contentOf } from './content/sample-content.ts'

t.test('newsletters are rendered one at a time, so that large mails wait for one at most', async (t) => {
  let running = 0
  let most = 0
  const messageWork = {
    async compileNewsletter() {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return { faults: [] }
    },
  }
  const content = contentOf([{ type: 'divider' }])
  const render = (organization: number) => compile({ messageWork } as never, organization, content)
  const all = Array.from({ length: RENDERINGS_WAITING_PER_ORGANIZATION_MAX + 2 }, () => render(1))
  const other = render(2)
  const settled = await Promise.allSettled(all)
  t.equal(most, 1)
  const refused = settled.filter((one) => one.status === 'rejected')
  t.same(
    refused.map(({ reason }) => isFailure(reason, 'busy')),
    [true],
    'an organization waits for so many',
  )
  t.same(await other, { faults: [] }, 'control: another one is admitted')
})
