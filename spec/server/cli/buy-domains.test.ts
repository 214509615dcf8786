import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { listenOnLoopback } from '../../support/loopback-server.ts'
import { temporaryFolder } from '../../support/posthouse.ts'
import { CONTACT } from '../../support/registration-contact.ts'

t.test('domains are searched and bought, after a confirmation', async (t) => {
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  const shop = ['--dev', '--registrar=fake', '--billing=fake', `--data=${data}`]
  const run = (args: readonly string[], answer?: string) =>
    runCommand([...args, ...shop], answer === undefined ? {} : { answer })
  const contact = join(data, 'contact.json')
  writeFileSync(contact, JSON.stringify(CONTACT))
  const buy = (name: string, more: readonly string[] = [], answer?: string) =>
    run(['domains', 'register', name, `--contact=${contact}`, ...more], answer)

  const found = await run(['domains', 'search', 'acme'])
  t.match(found.stdout, /^acme\.com +11\.08 USD the first year, 12\.50 USD each further year\n/)
  const { results } = JSON.parse((await run(['domains', 'search', 'taken.com', '--json'])).stdout)
  t.same(results[0], {
    domain_name: 'taken.com',
    available: false,
    purchase_price: null,
    renewal_price: null,
    currency: 'USD',
  })
  t.match(await run(['domains', 'search', '!!!']), { code: 1, stderr: /must be a word or a domain name/ })

  t.match(await buy('acme.com', ['--yes']), { code: 1, stderr: /no active subscription/ })
  await run(['billing', 'fake'])
  const asked = await buy('acme.com', ['--years=2'])
  t.match(asked, { code: 1, stdout: '', stderr: /acme\.com for 2 years: 23\.58 USD.*confirm with --yes/s })
  t.match(await buy('acme.com', [], 'no'), { code: 1, stderr: /Nothing was done\.\n$/ })
  t.match(await buy('acme.com', ['--yes', '--max-price=11']), { code: 1, stderr: /costs 11\.08 USD, more than 11/ })
  t.match(await buy('taken.com', ['--yes']), { code: 1, stderr: /taken\.com is not available/ })
  t.match(await buy('acme.com', ['--phone=1', '--zip=x'], 'acme.com'), {
    code: 1,
    stderr: /zip is not .*phone must be/,
  })
  t.match(await buy('acme.com', ['--max-price=11.08'], 'ACME.com\n'), { code: 0, stdout: 'acme.com: registering\n' })
  const again = JSON.parse((await buy('Acme.com', ['--yes', '--json'])).stdout)
  t.match(again, { id: /^dom_/, name: 'acme.com', status: 'registering', is_new: false }, 'the same order')
  for (const args of [['acme'], ['a.com', 'b.com'], ['a.com', '--years=11'], ['a.com', '--max-price=x'], []])
    t.equal((await run(['domains', 'register', ...args])).code, 2, args.join(' '))
  writeFileSync(contact, '{"name": "Ada"}')
  t.match(await buy('other.com', ['--yes']), { code: 2, stderr: /unknown field "name"/ })
  t.match(await runCommand(['domains', 'search', 'acme', `--data=${data}`]), { code: 1, stderr: /has no registrar/ })
})

t.test('records are written at a DNS provider, after the difference is shown', async (t) => {
  const data = temporaryFolder(t)
  const patches: unknown[] = []
  const record = { content: '5 mx.\u001b[2Jothers.example.', disabled: false }
  const held = { name: 'example.org.', type: 'MX', ttl: 60, records: [record] }
  const server = createServer(async (request, response) => {
    if (request.method === 'PATCH') patches.push(JSON.parse(await text(request)))
    response
      .writeHead(request.method === 'PATCH' ? 204 : 200)
      .end(request.method === 'PATCH' ? '' : JSON.stringify({ rrsets: [held] }))
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(t, server)}`
  const made = await runCommand([
    'setup',
    '--organization=Example',
    '--mailbox=office@example.org',
    '--json',
    `--data=${data}`,
  ])
  t.equal(made.code, 0)
  const apply = (args: readonly string[], answer?: string) =>
    runCommand(['dns', 'apply', ...args, '--dev', `--data=${data}`], answer === undefined ? {} : { answer })
  t.match(await apply(['other.org']), { code: 1, stderr: /there is no domain other\.org/ })
  t.match(await apply(['example.org']), { code: 1, stderr: /No credentials of a DNS provider/ })
  await setCredentials(data, url)
  const shown = await apply(['example.org', '--dry-run'])
  t.equal(shown.code, 0)
  t.match(shown.stdout, /^\+ example\.org TXT "v=spf1 .*"$/m)
  t.match(
    shown.stdout,
    /^! not written: example\.org MX 10 .*\n! {3}because of: example\.org MX 5 mx\.\?\[2jothers\.example$/m,
  )
  t.match(shown.stdout, /Nothing was written\.\n$/)
  const asked = await apply(['example.org'])
  t.match(asked, { code: 1, stdout: '', stderr: /\+ example\.org TXT .*confirm with --yes/s })
  t.match(await apply(['example.org'], 'n'), { code: 1 })
  t.same(patches, [])
  t.match(await apply(['Example.org'], 'yes'), { code: 0, stdout: /\+ example\.org TXT .*Written\.\n$/s })
  t.equal(patches.length, 1)
  t.match(JSON.parse((await apply(['example.org', '--yes', '--json'])).stdout), {
    applied: true,
    create: [{ type: 'TXT' }],
  })

  record.content = '5 mx.others.example.'
  const answered = await apply(['example.org', '--hostname=mail.example.net', '--submissions-port=465'], 'yes')
  t.same(
    withoutKeys(`${answered.stderr}...\n${answered.stdout.slice(-'Written.\n'.length)}`),
    shownInDocs(),
    'as in the docs',
  )
})

function withoutKeys(text: string): string {
  return text.replaceAll(/(k=\w+; p=)[^"]+/g, '$1...')
}

/** The sample of the page about self-hosting, without the command and the question. */
function shownInDocs(): string {
  const page = readFileSync(join(import.meta.dirname, '../../../server/pages/docs/pages/self-hosting.html'), 'utf8')
  const begin = '<pre>$ posthouse dns apply '
  const at = page.indexOf(begin)
  const lines = page.slice(at, page.indexOf('</pre>', at)).split('\n').slice(1)
  return `${lines.filter((line) => !line.startsWith('Write this')).join('\n')}\n`
}

/** As an owner does by the API. */
async function setCredentials(data: string, url: string): Promise<void> {
  const { withCore } = await import('../../../server/cli/with-core.ts')
  const { SYSTEM } = await import('../../../server/base/principal.ts')
  const terminal = { environment: { POSTHOUSE_LOG_LEVEL: 'silent' } }
  await withCore({ settings: { data, dev: true }, terminal } as never, async ({ core, admin }) => {
    const [{ id: accountId } = { id: '' }] = await admin.organizations()
    const { id } = (await admin.findDomain(accountId, 'example.org'))!
    const dnsCredentials = { provider: 'powerdns', url, apiKey: 'k' }
    const call = ['Domain/set', { accountId, update: { [id]: { dnsCredentials } } }, '0'] as const
    await core.process(SYSTEM, { using: ['urn:posthouse:params:jmap:service'], methodCalls: [call as never] })
  })
}
