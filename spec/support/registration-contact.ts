/** A registration contact that every check accepts. */
export const CONTACT = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  address1: '12 St James Square',
  city: 'San Francisco',
  state: 'CA',
  zip: '94105',
  country: 'US',
  phone: '+14155550100',
  email: 'ada@example.com',
}
