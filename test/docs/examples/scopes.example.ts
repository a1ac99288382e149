// #region imports
import { Injectable, Module } from '@nestjs/common';
import {
  KopfModule,
  OnCreate,
  OnDelete,
  OnEvent,
  type ChangeContext,
  type EventContext,
  type KopfModuleOptions,
} from 'nestjs-kopf';
// #endregion

// #region namespaces
@Injectable()
export class ExampleOperator {
  @OnCreate('configmaps.v1')
  create({ name, namespace, logger }: ChangeContext) {
    logger.log(`${namespace}/${name} is served.`);
  }
}

@Module({
  imports: [KopfModule.forRoot({ namespaces: ['default', 'myapp-*, !*-pr-*, *-pr-123', /team-[ab]/] })],
  providers: [ExampleOperator],
})
export class AppModule {}
// #endregion

// #region selectors
@Injectable()
export class SelectingOperator {
  @OnCreate('configmaps.v1', { selector: { labels: 'app in (web, api),!legacy' } })
  create({ name, logger }: ChangeContext) {
    logger.log(`${name} is selected.`);
  }

  @OnDelete('configmaps.v1', {
    selector: { labels: { matchExpressions: [{ key: 'app', operator: 'In', values: ['api', 'web'] }] } },
  })
  delete({ name, logger }: ChangeContext) {
    logger.log(`${name} was selected.`);
  }

  @OnEvent('pods', { selector: { fields: { 'status.phase': 'Failed' } } })
  failed({ name, logger }: EventContext) {
    logger.log(`${name} has failed.`);
  }
}
// #endregion

// #region settings
export const selectedBySettings: KopfModuleOptions = {
  watching: {
    labelSelectors: { configmaps: 'app=web', 'kopfexamples.kopf.dev': '!ignored' },
    fieldSelectors: [[['v1', 'pods'], 'spec.nodeName=node-1']],
  },
};
// #endregion

// #region shards
const SHARDS = [
  "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
  "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')",
];

export const createOptions = (index: number): KopfModuleOptions => ({
  watching: { shardSelectors: { 'configmaps.v1': SHARDS[index] } },
});
// #endregion
