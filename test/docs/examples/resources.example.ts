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
