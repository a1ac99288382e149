import { X509Certificate } from 'node:crypto';
import { createServerIdentity } from './certificate.authority.js';

describe('createServerIdentity', () => {
  it('should make certificates of whole seconds, also for years of which two digits are not enough', async () => {
    const made = await createServerIdentity(Date.parse('2045-06-01T00:00:00.999Z'), ['localhost']);
    const times = [made.caCertificate, made.certificate].map((pem) => new X509Certificate(pem).validTo);
    expect(times).toEqual(['May 30 00:00:00 2055 GMT', 'May 30 00:00:00 2055 GMT']);
  });
});
