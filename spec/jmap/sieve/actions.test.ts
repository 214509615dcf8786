/** RFC 5228 4; RFC 3894, 5232, 5429, 5230, 6131, 5490, 8579: actions of scripts. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables in Sieve
import t from 'tap'
import type { SieveAction, SieveVacation } from '../../../jmap/sieve/index.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { holds, IN_WORK, KEPT, refusal, run } from './scripts.ts'

const filed = (id: number, path: string, flags: string[] = []): SieveAction => ({
  kind: 'fileinto',
  target: { id, path },
  flags,
})
const rejected = (reason: string, ereject = false): SieveAction => ({ kind: 'reject', ereject, reason })
const kept = (flags: string[], implicit = false): SieveAction => ({ kind: 'keep', flags, implicit })

t.test('discard, fileinto and redirect cancel the implicit keep; keep restores it (RFC 5228 2.10.2, 4)', async (t) => {
  t.same(run('discard;').actions, [])
  t.same(run('discard; keep;').actions, [kept([])])
  t.same(run('require "fileinto"; fileinto "Work";').actions, [IN_WORK])
  t.same(run('redirect "ada@example.org";').actions, [{ kind: 'redirect', address: 'ada@example.org' }])
  t.same(run('require "fileinto"; fileinto "Work"; keep;').actions, [IN_WORK, kept([])])
})

t.test('with :copy the implicit keep stays (RFC 3894 3)', async (t) => {
  const redirected = { kind: 'redirect', address: 'ada@example.org' }
  t.same(run('require ["fileinto", "copy"]; fileinto :copy "Work";').actions, [IN_WORK, KEPT])
  t.same(run('require "copy"; redirect :copy "ada@example.org";').actions, [redirected, KEPT])
  t.same(run('require ["fileinto", "copy"]; fileinto :copy "Work"; discard;').actions, [IN_WORK])
})

t.test('a message is filed into a mailbox and sent to an address once (RFC 5228 2.10.3)', async (t) => {
  t.same(run('require "fileinto"; fileinto "Work"; fileinto "WORK"; fileinto "INBOX/Work"; keep; keep;').actions, [
    filed(3, 'INBOX/Work'),
    kept([]),
  ])
  t.equal(run('redirect "ada@example.org"; redirect "Ada <Ada@Example.org>";').actions.length, 1)
})

t.test('if redirects are not allowed, the message is kept and the log says so', async (t) => {
  const settings = { mayRedirect: false }
  const { actions, trace, error } = run('redirect "ada@example.org";', { settings })
  t.same(actions, [KEPT])
  t.equal(error, null)
  t.match(trace, [{ line: 1, text: /Not redirected to ada@example.org: it is not permitted/ }])
  t.same(run('redirect "ada@example.org"; discard;', { settings }).actions, [])
})

t.test('redirect takes one valid address, and their number is limited (RFC 5228 4.2, 2.10.4)', async (t) => {
  t.match(refusal('redirect "nobody";'), /"nobody" is no address/)
  t.match(refusal('redirect "a@example.org, b@example.org";'), /is no address/)
  const redirects = [...'abcde'].map((name) => `redirect "${name}@example.org";`)
  t.equal(run(redirects.slice(0, 4).join('')).actions.length, 4)
  t.match(run(redirects.join('')), { actions: [KEPT], error: /more than 4 times/ })
})

t.test('a missing mailbox is replaced by the inbox, or created (RFC 5228 4.1; RFC 5490 3.2)', async (t) => {
  const { actions, trace } = run('require "fileinto"; fileinto "Nowhere";')
  t.same(actions, [filed(1, 'INBOX')])
  t.match(trace, [{ text: /There is no mailbox "Nowhere"/ }, {}])
  const make = (path: string) => run(`require ["fileinto", "mailbox"]; fileinto :create "${path}";`)
  const create = (names: string[], path: string) => ({
    kind: 'fileinto',
    target: { create: names, role: null, path },
    flags: [],
  })
  t.same(make('Work').actions, [IN_WORK])
  t.same(make('Lists/Sieve').actions, [create(['Lists', 'Sieve'], 'Lists/Sieve')])
  t.same(make('INBOX/Lists').actions, [create(['Lists'], 'INBOX/Lists')])
  t.match(make('Lists//Sieve'), { actions: [KEPT], error: /there cannot be a mailbox/ })
})

t.test('a special use finds its mailbox by role, whatever its name (RFC 8579 4)', async (t) => {
  const into = (arguments_: string) =>
    run(`require ["fileinto", "mailbox", "special-use"]; fileinto ${arguments_};`).actions
  t.same(into(String.raw`:specialuse "\\Junk" "Spam"`), [filed(2, 'Spam')])
  t.same(into(String.raw`:specialuse "\\Archive" "Work"`), [filed(3, 'Work')])
  t.same(into(String.raw`:specialuse "\\Archive" "Old"`), [filed(1, 'INBOX')])
  t.match(into(String.raw`:create :specialuse "\\Archive" "Old"`), [{ target: { create: ['Old'], role: 'archive' } }])
})

t.test('flags are set, added and removed, and apply to messages filed afterwards (RFC 5232 3, 5)', async (t) => {
  const flagged = (script: string) => run(`require ["imap4flags", "fileinto"]; ${script}`).actions
  t.same(flagged(String.raw`addflag "\\Seen"; addflag ["work \\FLAGGED", "Work"];`), [
    kept(['$flagged', '$seen', 'work'], true),
  ])
  t.same(flagged('setflag "a b"; setflag "c"; removeflag ["C", "d"]; keep;'), [kept([])])
  t.same(flagged('setflag "a"; fileinto "Work"; setflag "b"; keep;'), [filed(3, 'Work', ['a']), kept(['b'])])
  t.same(flagged('setflag "a"; keep :flags ["b", "c"];'), [kept(['b', 'c'])])
  t.same(flagged('setflag "a"; keep :flags "";'), [kept([])])
  t.same(flagged('fileinto :flags "a" "Work"; fileinto :flags "b" "Work";'), [filed(3, 'Work', ['b'])])
})

t.test('flags that cannot be stored are ignored (RFC 5232 5)', async (t) => {
  const { actions } = run(String.raw`require "imap4flags"; setflag "\\Deleted \\Recent \\Nonsense bad(flag ok";`)
  t.same(actions, [kept(['ok'], true)])
})

t.test('hasflag reads the flags, or variables (RFC 5232 4)', async (t) => {
  const has = (test: string) => {
    const script = `require ["imap4flags", "variables", "relational", "comparator-i;ascii-numeric"];
      setflag "A B"; setflag "mine" ["NonJunk", "gnus-forward", "$Junk"]; if ${test} { discard; }`
    return run(script).actions.length === 0
  }
  t.ok(has('hasflag ["b", "x"]'))
  t.ok(has('hasflag "x A"'))
  t.ok(has('hasflag :contains "MINE" "forward"'))
  t.ok(has('hasflag :count "eq" :comparator "i;ascii-numeric" "2"'))
  t.ok(has('hasflag :count "eq" :comparator "i;ascii-numeric" ["mine", "other"] "3"'))
  t.notOk(has('hasflag "C"'))
  t.notOk(has('hasflag :contains "mine" "label"'))
  t.match(refusal('require "imap4flags"; addflag "name" "x";'), /needs require "variables"/)
})

t.test('reject and ereject refuse the message, and exclude other actions (RFC 5429 2)', async (t) => {
  t.same(run('require "reject"; reject "No.";').actions, [rejected('No.')])
  t.same(run('require "ereject"; ereject "No.";').actions, [rejected('No.', true)])
  t.same(run('require "reject"; reject "No."; discard;').actions, [rejected('No.')])
  const all = 'require ["reject", "fileinto", "vacation"];'
  for (const other of ['keep', 'fileinto "Work"', 'redirect "a@example.org"', 'vacation "x"', 'reject "x"']) {
    t.match(run(`${all} reject "No."; ${other};`), { actions: [KEPT], error: /does not go with/ }, other)
    t.match(run(`${all} ${other}; reject "No.";`), { actions: [KEPT], error: /does not go with/ }, other)
  }
})

const vacation = (script: string, more: { text?: string } = {}) => {
  const { actions, error } = run(`require ["vacation", "vacation-seconds", "variables"]; ${script}`, more)
  if (error) throw new Error(error)
  return actions.find((action) => action.kind === 'vacation') as SieveVacation
}

t.test('vacation requests a reply and keeps the implicit keep (RFC 5230 4)', async (t) => {
  const script = `vacation :days 3 :subject "Away" :from "Grace <grace@example.test>"
    :addresses ["g@example.test"] :mime :handle "h" "Reason";`
  t.same(run(`require "vacation"; ${script}`).actions, [
    {
      kind: 'vacation',
      handle: 'h',
      seconds: 3 * 86_400,
      subject: 'Away',
      from: 'Grace <grace@example.test>',
      addresses: ['g@example.test'],
      reason: 'Reason',
      mime: true,
    },
    KEPT,
  ])
  matchWhole(t, vacation('vacation "x";'), {
    seconds: 7 * 86_400,
    subject: null,
    from: null,
    addresses: [],
    mime: false,
  })
  t.match(refusal('require "vacation"; vacation :from "nobody" "x";'), /:from is no address/)
})

t.test('the time between two answers is bounded (RFC 5230 4.1; RFC 6131 2)', async (t) => {
  const seconds = (tag: string) => vacation(`vacation ${tag} "x";`).seconds
  t.equal(seconds(':days 0'), 86_400)
  t.equal(seconds(':days 10000'), 90 * 86_400)
  t.equal(seconds(':seconds 0'), 1_800)
  t.equal(seconds(':seconds 7200'), 7_200)
  t.equal(seconds(':seconds 2147483647'), 90 * 86_400)
  t.match(refusal('require "vacation"; vacation :seconds 5 "x";'), /needs require "vacation-seconds"/)
  t.match(refusal('require "vacation-seconds"; vacation :seconds 5 :days 1 "x";'), /does not go with/)
  t.equal(refusal('require "vacation-seconds"; vacation :seconds 5 "x";'), null)
})

t.test("replies are identified by the script's text, not by its expansion (RFC 5230 4.2)", async (t) => {
  const script = 'if header :matches "subject" "*" { vacation :subject "Re: ${1}" "Away"; }'
  const one = vacation(script, { text: 'Subject: one\n\nx\n' })
  const two = vacation(script, { text: 'Subject: two\n\nx\n' })
  t.equal(one.subject, 'Re: one')
  t.equal(two.subject, 'Re: two')
  t.equal(one.handle, two.handle)
  t.not(vacation('vacation "Away";').handle, vacation('vacation "Gone";').handle)
  t.not(vacation('vacation :subject "ab" "c";').handle, vacation('vacation :subject "a" "bc";').handle)
})

t.test('the number of actions of a run is bounded (RFC 5228 2.10.4)', async (t) => {
  const keeps = (count: number) => `require "fileinto"; ${'fileinto "Work"; '.repeat(count)}`
  t.equal(run(keeps(32)).error, null)
  t.match(run(keeps(33)), { actions: [KEPT], error: /more than 32 actions/ })
  t.ok(holds('', 'true'))
})
