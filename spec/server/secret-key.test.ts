// Promise A5: the key of the sealed secrets is stored beside the data, and without it the server does not start.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCommand, serve } from '../support/command-line.ts'
import { FREE_PORTS, temporaryFolder } from '../support/posthouse.ts'

t.test('with a missing or foreign secret.key, serve stops with one sentence, and verify finds it', async (t) => {
  const data = temporaryFolder(t)
  await (await serve(t, data)).stop()
  const file = join(data, 'secret.key')
  const kept = `${file}.kept`
  renameSync(file, kept)
  const start = (...args: string[]) => runCommand(['serve', '--dev', `--data=${data}`, ...args, ...FREE_PORTS])
  const sentence = (why: RegExp) =>
    new RegExp(`^posthouse: the key that the stored secrets are sealed with is missing: ${why.source}[^\\n]*\\n$`)
  for (const thread of ['on', 'off']) {
    const { code, stderr } = await start(`--writer-thread=${thread}`)
    t.equal(code, 1)
    t.match(stderr, sentence(/there is no secret\.key in /), `writer thread ${thread}`)
  }
  t.notOk(existsSync(file), 'no new key is made')
  t.match(await runCommand(['verify', `--data=${data}`]), {
    code: 1,
    stdout: /secrets: secrets are sealed, and there is no secret\.key\n/,
  })
  writeFileSync(file, `${'ab'.repeat(32)}\n`)
  t.match(await start(), { code: 1, stderr: sentence(/it is not in secret\.key of /) })
  t.match(await runCommand(['verify', `--data=${data}`]), {
    code: 1,
    stdout: /secrets: secrets are sealed with key [0-9a-f]{8}, which is missing\n/,
  })
  // The newest is first: the old key may stay until everything is sealed with the new one.
  writeFileSync(file, `${'ab'.repeat(32)}\n${readFileSync(kept, 'utf8')}`)
  t.equal((await runCommand(['verify', `--data=${data}`])).code, 0, 'control: with the key it is sound')
  await (await serve(t, data)).stop()
  writeFileSync(file, `${'ab'.repeat(32)}\n`)
  t.equal((await runCommand(['verify', `--data=${data}`])).code, 0, 'after a start the new key alone will do')
  rmSync(kept)
})
