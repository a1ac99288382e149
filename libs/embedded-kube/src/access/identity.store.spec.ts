import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from 'kube-common';
import { EmbeddedKube } from '../embedded-kube.js';
import { IdentityFactory } from '../machinery/identity.factory.js';
import { IdentityStore } from './identity.store.js';

describe('IdentityStore', () => {
  let folder: string;
  const identities = new IdentityFactory(new SeededRandom(1));

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'identity-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('should keep the token and the certificate', async () => {
    const store = new IdentityStore(folder);
    const [token, identity] = [store.token(identities), await store.serverIdentity(0, '127.0.0.1')];
    const later = new IdentityStore(folder);
    expect(later.token(identities)).toBe(token);
    expect(await later.serverIdentity(0, '127.0.0.1')).toMatchObject(identity);
  });

  it.each(['', ' \n', 'two words'])('should refuse a token file with %j by its name', (text) => {
    writeFileSync(join(folder, 'token'), text);
    expect(() => new IdentityStore(folder).token(identities)).toThrow(
      `${join(folder, 'token')} is damaged: it holds no token; restore it, or remove the file so that a new one is made`,
    );
  });

  it('should refuse an identity file that is empty, cut off, or has another key, by its name', async () => {
    const path = join(folder, 'identity.json');
    await new IdentityStore(folder).serverIdentity(0, 'a');
    const first = JSON.parse(readFileSync(path, 'utf8')) as object;
    rmSync(path);
    const { privateKey } = await new IdentityStore(folder).serverIdentity(0, 'a');
    for (const text of ['', '{"host":"a",', '{}', 'null', JSON.stringify({ ...first, privateKey })]) {
      writeFileSync(path, text);
      await expect(new IdentityStore(folder).serverIdentity(0, 'a')).rejects.toThrow(
        `${path} is damaged: it holds no certificate with its key`,
      );
    }
  });

  it('should not leave the folder locked when the server does not start', async () => {
    writeFileSync(join(folder, 'token'), '');
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect(EmbeddedKube.start({ data: folder, port: false })).rejects.toThrow('token is damaged');
    }
    rmSync(join(folder, 'token'));
    await (await EmbeddedKube.start({ data: folder, port: false })).stop();
  });
});
