import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfModule, KopfOperator, OnCreate, OnLogin, type KopfModuleOptions } from 'nestjs-kopf';
import { startWithDisks } from '../../support/operators/disks.js';
import { AccountService, fromFields, fromFile, LoginHandlers, TokenService } from './authentication.example.js';

class DiskOperator {
  @OnCreate('configmaps.v1')
  create() {}
}

describe('The examples of authentication', () => {
  it('should log in with what is given', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kopf-docs-'));
    const kube = await EmbeddedKube.start();
    onTestFinished(async () => {
      await kube.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const path = join(folder, 'kubeconfig.yaml');
    kube.writeKubeconfig(path);
    const forms: KopfModuleOptions[] = [
      fromFile(path),
      { credentials: kube.kubeconfig },
      fromFields(kube.url, kube.caCertificate!, kube.token),
    ];
    for (const options of forms) {
      const imports = [KopfModule.forRoot(options)];
      const module = await Test.createTestingModule({ imports, providers: [DiskOperator] })
        .setLogger(false as never)
        .compile();
      await module.init();
      await module.get(KopfOperator).ready();
      expect(module.get(KopfOperator).state).toBe('running');
      await module.close();
    }
  });

  it('should log in by handlers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kopf-docs-'));
    const kube = await EmbeddedKube.start({ users: { 'the-token': { name: 'operator', groups: [] } } });
    const path = join(folder, 'kubeconfig.yaml');
    kube.writeKubeconfig(path);
    vi.stubEnv('KUBECONFIG', path);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await kube.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const asked: string[] = [];
    const fetch = (server: string) => (asked.push(server), Promise.resolve({ token: 'the-token' }));
    const module = await Test.createTestingModule({
      imports: [KopfModule.forRoot()],
      providers: [DiskOperator, LoginHandlers, { provide: TokenService, useValue: { fetch } }],
    })
      .setLogger(false as never)
      .compile();
    await module.init();
    await module.get(KopfOperator).ready();
    expect(asked).toEqual([kube.url]);
    await module.close();
  });

  it('should tell who is logged in, and log in again on demand', async () => {
    const harness = await startWithDisks();
    const tokens = ['first', 'second'].map(
      (name) => `.${Buffer.from(JSON.stringify({ sub: name })).toString('base64url')}.`,
    );
    const transport = harness.kube.transport();
    class Login {
      @OnLogin()
      login() {
        return { server: 'http://embedded', token: tokens.shift(), transport };
      }
    }
    await harness.run([DiskOperator, AccountService, Login], { credentials: undefined });
    const account = harness.get(AccountService);
    expect(account.describe()).toEqual(['first on http://embedded until further notice']);
    await account.replaceToken();
    expect(account.describe()).toEqual(['second on http://embedded until further notice']);
  });
});
