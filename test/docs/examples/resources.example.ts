// #region imports
import { Injectable, Module } from '@nestjs/common';
import {
  EVERYTHING,
  KopfModule,
  OnCreate,
  OnDelete,
  OnEvent,
  PRESENT,
  type ChangeContext,
  type EventContext,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import { KOPF_RESOURCE } from 'nestjs-kopf/decorators';
// #endregion

// #region forms
@Injectable()
export class NamingOperator {
  @OnEvent('disks.example.com')
  @OnEvent('disks.v1.example.com')
  @OnEvent('example.com/v1', 'disks')
  @OnEvent('example.com', 'v1', 'disks')
  @OnEvent('example.com', 'disks')
  @OnEvent('Disk')
  @OnEvent('disk')
  @OnEvent('dk')
  seen({ name, resource, logger }: EventContext) {
    logger.log(`${resource.plural}.${resource.group} ${name}`);
  }
}
// #endregion

// #region parts
@Injectable()
export class PartsOperator {
  @OnEvent({ kind: 'Disk' })
  @OnEvent({ plural: 'disks', group: 'example.com' })
  @OnEvent({ singular: 'disk' })
  @OnEvent({ shortcut: 'dk' })
  @OnEvent({ category: 'all' })
  seen({ name, resource, logger }: EventContext) {
    logger.log(`${resource.plural} ${name}`);
  }
}
// #endregion

// #region several
@Injectable()
export class SeveralOperator {
  @OnEvent(EVERYTHING, { labels: { 'only-this': PRESENT } })
  @OnEvent(({ group, namespaced }) => group.endsWith('.com') && namespaced)
  seen({ name, resource, logger }: EventContext) {
    logger.log(`${resource.plural} ${name}`);
  }
}
// #endregion

// #region globs
@Injectable()
export class GlobsOperator {
  @OnEvent('*.example.com', '*', '*')
  @OnEvent('*', 'backup*')
  seen({ name, resource, logger }: EventContext) {
    logger.log(`${resource.plural}.${resource.group} ${name}`);
  }
}
// #endregion

// #region class
export class Disk {
  static readonly [KOPF_RESOURCE] = { group: 'example.com', version: 'v1', plural: 'disks' };
}

@Injectable()
export class ClassOperator {
  @OnEvent(Disk)
  seen({ name, logger }: EventContext) {
    logger.log(`disks ${name}`);
  }
}
// #endregion

// #region namespaces
@Injectable()
export class DiskOperator {
  @OnCreate('configmaps.v1')
  create({ name, namespace, logger }: ChangeContext) {
    logger.log(`${namespace}/${name} is served.`);
  }
}

@Module({
  imports: [KopfModule.forRoot({ namespaces: ['default', 'myapp-*, !*-pr-*, *-pr-123', /team-[ab]/] })],
  providers: [DiskOperator],
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
    labelSelectors: { configmaps: 'app=web', 'disks.example.com': '!ignored' },
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
