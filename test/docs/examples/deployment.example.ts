// #region imports
import { Inject, Injectable, Module } from '@nestjs/common';
import { KopfModule, KubeClient, Needs, OnCreate, Validate, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import {
  generateManifests,
  learnPermissions,
  readGrants,
  verifyPermissions,
  type ObservedRequest,
} from 'nestjs-kopf-cli';
import { WebhookServer } from 'nestjs-kopf/webhooks';
// #endregion

// #region generate
export async function generate(crds: readonly KubeObject[]) {
  const { files, warnings } = await generateManifests(AppModule, { name: 'settings', namespace: 'operators', crds });
  for (const warning of warnings) console.warn(warning);
  return files['rbac.yaml'];
}
// #endregion

// #region needs
@Injectable()
@Needs({ configmaps: ['create'] })
export class SettingsOperator {
  constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

  @OnCreate('disks.example.com')
  async create({ name, namespace }: ChangeContext) {
    await this.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } });
  }
}

@Module({ imports: [KopfModule.forRoot({ enabled: false })], providers: [SettingsOperator] })
export class AppModule {}
// #endregion

// #region chart
export async function generateChart(crds: readonly KubeObject[]) {
  const image = 'registry.example.com/settings:1.2.3';
  const { files } = await generateManifests(AppModule, {
    name: 'settings',
    crds,
    image,
    format: 'helm',
    olm: { version: '1.2.3' },
  });
  return files;
}
// #endregion

// #region scope
const served = process.env.WATCH_NAMESPACES?.split(',').filter(Boolean) ?? [];

@Module({
  imports: [KopfModule.forRoot({ namespaces: served.length > 0 ? served : undefined })],
  providers: [SettingsOperator],
})
export class ScopedModule {}

export async function generateScoped(format: 'helm' | 'olm', crds: readonly KubeObject[]) {
  return generateManifests(ScopedModule, { name: 'settings', crds, format, namespacesVariable: 'WATCH_NAMESPACES' });
}
// #endregion

// #region webhooks
export async function generateWebhooks() {
  const { files } = await generateManifests(GuardedModule, { name: 'guard', webhooks: { certManager: true } });
  return files['webhooks.yaml'];
}

@Injectable()
class PodGuard {
  @Validate('pods', { operations: ['CREATE'] })
  check() {}
}

const server = new WebhookServer({ port: 9443, service: { name: 'guard' }, secret: { name: 'guard-tls' } });

@Module({ imports: [KopfModule.forRoot({ enabled: false, admission: { server } })], providers: [PodGuard] })
class GuardedModule {}
// #endregion

// #region verify
export async function verify(
  crds: readonly KubeObject[],
  roles: readonly KubeObject[],
  run: readonly ObservedRequest[],
) {
  const account = { name: 'settings', namespace: 'operators' };
  const { permissions: required } = await generateManifests(AppModule, { ...account, crds });
  const { granted } = readGrants(roles, account);
  const findings = verifyPermissions({ required, granted, observed: learnPermissions(run) });
  return findings.map(({ kind, message }) => `${kind}: ${message}`);
}
// #endregion
