// #region imports
import { Injectable, Module } from '@nestjs/common';
import { adopt, KopfModule, KubeClient, OnChild, OnUpdate, type ChildContext, type ObjectContext } from 'nestjs-kopf';
// #endregion

// #region set
interface ShelfSpec {
  readonly books?: Readonly<Record<string, string>>;
}

@Injectable()
export class ShelfOperator {
  constructor(private readonly client: KubeClient) {}

  @OnUpdate('kopfexamples.kopf.dev')
  async changed(context: ObjectContext<ShelfSpec>) {
    await this.apply(context);
  }

  @OnChild('kopfexamples.kopf.dev', 'configmaps')
  async drifted(context: ChildContext<ShelfSpec>) {
    await this.apply(context);
  }

  private async apply({ body, spec, name, logger }: ObjectContext<ShelfSpec>): Promise<void> {
    const maps = Object.entries(spec.books ?? {}).map(([title, text]) =>
      adopt({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-${title}` }, data: { text } }),
    );
    const { pruned } = await this.client.applySet(body, maps, { fieldManager: 'shelves' });
    for (const { metadata } of pruned) logger.log(`${metadata.name} is not wanted any more.`);
  }
}
// #endregion

// #region own
@Module({
  imports: [KopfModule.forRoot({ patching: { mode: 'apply', fieldManager: 'shelves', force: false } })],
  providers: [ShelfOperator],
})
export class ShelvesModule {}
// #endregion
