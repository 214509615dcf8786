import t from 'tap'
import { ConnectionCounter } from '../../../mta/smtp/connection-counter.ts'

t.test('an address has a limit, and a closed connection frees a place', async (t) => {
  const counter = new ConnectionCounter(2, 10)
  t.ok(counter.enter('192.0.2.1'))
  t.ok(counter.enter('192.0.2.1'))
  t.notOk(counter.enter('192.0.2.1'))
  t.ok(counter.enter('192.0.2.2'), 'another address is not concerned')
  counter.leave('192.0.2.1')
  t.ok(counter.enter('192.0.2.1'))
})

t.test('the addresses of a /24 share a limit', async (t) => {
  const counter = new ConnectionCounter(10, 2)
  t.ok(counter.enter('192.0.2.1'))
  t.ok(counter.enter('192.0.2.2'))
  t.notOk(counter.enter('192.0.2.3'))
  t.ok(counter.enter('192.0.3.3'))
})

t.test('a /64 counts as one address, a /48 as one network', async (t) => {
  const counter = new ConnectionCounter(1, 2)
  t.ok(counter.enter('2001:db8:1:1::1'))
  t.notOk(counter.enter('2001:db8:1:1:ffff::2'))
  t.ok(counter.enter('2001:db8:1:2::1'))
  t.notOk(counter.enter('2001:db8:1:3::1'))
  t.ok(counter.enter('2001:db8:2::1'))
})
