import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { webcrypto } from 'node:crypto';
import { CertificationRequest } from 'pkijs';
import { toPem } from '../../../../test/support/clusters/client.identity.js';
import { readDistinguishedName } from '../../../../test/support/clusters/distinguished.name.js';
import { EmbeddedKube } from '../embedded-kube.js';
import type { ResourceId } from '../controllers/controller.js';
import { createServerIdentity, signCertificate } from './certificate.authority.js';

const REQUESTS: ResourceId = { group: 'certificates.k8s.io', plural: 'certificatesigningrequests' };
const SECRETS: ResourceId = { group: '', plural: 'secrets' };
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

let kube: EmbeddedKube;
beforeAll(async () => {
  kube = await EmbeddedKube.start();
});
afterAll(() => kube.stop());

const whoami = async (options: RequestOptions) => {
  const headers = { 'content-type': 'application/json', ...(options.headers as Record<string, string>) };
  const outgoing = request(`${kube.url}${WHOAMI}`, {
    method: 'POST',
    ca: kube.caCertificate,
    agent: false,
    ...options,
    headers,
  });
  outgoing.end('{}');
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, user: JSON.parse(text).status?.userInfo };
};

/** Makes a key and a request for a certificate, both in PEM. */
const certificateRequest = async (name: string) => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const made = new CertificationRequest({ subject: readDistinguishedName(name) });
  await made.subjectPublicKeyInfo.importKey(keys.publicKey);
  await made.sign(keys.privateKey, ALGORITHM.hash);
  const key = toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { pem: toPem('CERTIFICATE REQUEST', made.toSchema().toBER()), key };
};

/** Resolves with the first state of an object that fulfils a condition. */
const until = (resource: ResourceId, name: string, condition: (object: any) => boolean): Promise<any> =>
  new Promise((resolve) => {
    const end = kube.client.watch(resource, ({ object }) => {
      if (object.metadata.name !== name || !condition(object)) return;
      end();
      resolve(object);
    });
  });

const requestCertificate = async (name: string, subject: string, usages: string[], done: (object: any) => boolean) => {
  const { pem, key } = await certificateRequest(subject);
  const spec = {
    request: Buffer.from(pem).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages,
  };
  const created = await kube.client.create(REQUESTS, undefined, { metadata: { name }, spec });
  const signed = until(REQUESTS, name, done);
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
  await kube.client.update(REQUESTS, undefined, name, { ...created, status: { conditions } }, 'status');
  return { key, object: await signed };
};

describe('credentials', () => {
  it('should be certificates that were requested and approved', async () => {
    const usages = ['client auth', 'digital signature'];
    const { key, object } = await requestCertificate('a', 'CN=jane,O=developers,O=testers', usages, (each) =>
      Boolean(each.status?.certificate),
    );
    const cert = Buffer.from(object.status.certificate as string, 'base64');
    const { status, user } = await whoami({ key, cert });
    expect([status, user.username]).toEqual([201, 'jane']);
    expect(new Set(user.groups)).toEqual(new Set(['developers', 'testers', 'system:authenticated']));
    expect(user.extra['authentication.kubernetes.io/credential-id']).toEqual([
      expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/),
    ]);
  });

  it('should not be certificates for other usages', async () => {
    const { object } = await requestCertificate('b', 'CN=jane', ['server auth'], (each) =>
      each.status?.conditions?.some(({ type }: { type: string }) => type === 'Failed'),
    );
    expect(object.status.certificate).toBeUndefined();
  });

  it('should not be certificates of another authority, unless a token comes with them', async () => {
    const now = new Date('2026-01-01').getTime();
    const other = await createServerIdentity(now, ['localhost']);
    const { pem, key } = await certificateRequest('CN=jane');
    const cert = await signCertificate(other, pem, ['client auth'], now, 10 * 365 * 86_400);
    expect((await whoami({ key, cert })).status).toBe(401);
    const headers = { authorization: `Bearer ${kube.token}` };
    expect((await whoami({ key, cert, headers })).user.username).toBe('admin');
  });

  it('should be impersonated with several groups, one header each', async () => {
    const headers = {
      authorization: `Bearer ${kube.token}`,
      'impersonate-user': 'bob',
      'impersonate-group': ['a, b', 'c'],
    } as unknown as Record<string, string>;
    expect((await whoami({ headers })).user.groups).toEqual(['a, b', 'c', 'system:authenticated']);
  });

  it('should be tokens in secrets that ask for one, until the secret goes', async () => {
    const accounts = { group: '', plural: 'serviceaccounts' };
    await kube.client.create(accounts, 'default', { metadata: { name: 'robot' } });
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const filled = until(SECRETS, 'robot', (each) => Boolean(each.data?.token));
    const type = 'kubernetes.io/service-account-token';
    await kube.client.create(SECRETS, 'default', { metadata: { name: 'robot', annotations }, type });
    const { data } = await filled;
    expect(Buffer.from(data.namespace as string, 'base64').toString()).toBe('default');
    const headers = { authorization: `Bearer ${Buffer.from(data.token as string, 'base64').toString()}` };
    expect((await whoami({ headers })).user.username).toBe('system:serviceaccount:default:robot');
    const gone = new Promise<void>((resolve) => {
      kube.client.watch(SECRETS, ({ type: event }) => event === 'DELETED' && resolve());
    });
    await kube.client.delete(accounts, 'default', 'robot');
    await gone;
    expect((await whoami({ headers })).status).toBe(401);
  });
});
