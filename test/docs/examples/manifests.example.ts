// #region imports
import { Inject, Injectable, Module } from '@nestjs/common';
import { KopfModule, KubeClient, Needs, OnCreate, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import { generateManifests, learnPermissions, readGrants, verifyPermissions } from 'nestjs-kopf/manifests';
import type { ObservedRequest } from 'nestjs-kopf/manifests';
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

  @OnCreate('kopfexamples.kopf.dev')
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
