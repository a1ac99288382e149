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
  @OnEvent('kopfexamples.kopf.dev')
  @OnEvent('kopfexamples.v1.kopf.dev')
  @OnEvent('kopf.dev/v1', 'kopfexamples')
  @OnEvent('kopf.dev', 'v1', 'kopfexamples')
  @OnEvent('kopf.dev', 'kopfexamples')
  @OnEvent('KopfExample')
  @OnEvent('kopfexample')
  @OnEvent('kex')
  seen({ name, resource, logger }: EventContext) {
    logger.log(`${resource.plural}.${resource.group} ${name}`);
  }
}
// #endregion

// #region parts
@Injectable()
export class PartsOperator {
  @OnEvent({ kind: 'KopfExample' })
  @OnEvent({ plural: 'kopfexamples', group: 'kopf.dev' })
  @OnEvent({ singular: 'kopfexample' })
  @OnEvent({ shortcut: 'kex' })
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
  @OnEvent(({ group, namespaced }) => group.endsWith('.dev') && namespaced)
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
export class KopfExample {
  static readonly [KOPF_RESOURCE] = { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' };
}

@Injectable()
export class ClassOperator {
  @OnEvent(KopfExample)
  seen({ name, logger }: EventContext) {
    logger.log(`kopfexamples ${name}`);
  }
}
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
