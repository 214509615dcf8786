/** `posthouse mailboxes password`: sets a new password when the owner has lost the old one. */
import { generatePassword } from '../administration/generate-password.ts'
import { Failure } from '../base/errors.ts'
import { type Command, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { readNewPassword } from './new-password.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const mailboxesPassword: Command = {
  name: 'mailboxes password',
  summary: 'sets the password of a mailbox; prints it if it is generated',
  positionals: '<address>',
  options: {
    organization: ORGANIZATION,
    'password-stdin': { help: 'read the password from standard input instead of generating one' },
  },
  async run(invocation) {
    const [address, more] = invocation.positionals
    if (address === undefined || more !== undefined) throw new UsageError('mailboxes password needs one address')
    const given = await readNewPassword(invocation)
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const mailbox = await admin.findMailbox(organization, address)
      if (!mailbox) throw new Failure('configuration', `there is no mailbox ${address}`)
      const password = given ?? generatePassword()
      await admin.setPassword(organization, mailbox.id, password)
      const made = given === null ? { password } : {}
      if (json) invocation.terminal.print(`${JSON.stringify({ id: mailbox.id, address: mailbox.address, ...made })}\n`)
      else if (given === null) invocation.terminal.print(`${password}\n`)
    })
    return 0
  },
}
