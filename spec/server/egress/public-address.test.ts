// Promise W3: which addresses count as public.
import t from 'tap'
import { isLoopbackAddress, isPublicAddress } from '../../../server/egress/public-address.ts'

t.test('addresses of the public Internet are outside, also through NAT64 and 6to4', async (t) => {
  for (const address of ['93.184.216.34', '2606:2800:220:1::1', '64:ff9b::5db8:d822', '64:ff9b::93.184.216.34'])
    t.equal(isPublicAddress(address), true, address)
  t.equal(isPublicAddress('2002:5db8:d822::1'), true, '6to4')
})

t.test('the embedded address counts: internal addresses through NAT64 and 6to4 are inside', async (t) => {
  for (const address of [
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::5db8:d822',
    '2002:7f00:1::1',
    '2002:a00:1::',
  ])
    t.equal(isPublicAddress(address), false, address)
  for (const address of ['::ffff:93.184.216.34', '::1', 'fe80::1%eth0', 'nonsense', '', '127.0.0.1', '100.64.0.1'])
    t.equal(isPublicAddress(address), false, address)
})

t.test('loopback is this machine in each of its forms, and no other address is', async (t) => {
  for (const address of ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])
    t.equal(isLoopbackAddress(address), true, address)
  for (const address of ['128.0.0.1', '10.0.0.1', '::2', '::ffff:10.0.0.1', '64:ff9b::7f00:1', 'localhost'])
    t.equal(isLoopbackAddress(address), false, address)
})
