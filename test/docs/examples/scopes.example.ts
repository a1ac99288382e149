// #region imports
import { Injectable, Module } from '@nestjs/common';
import { KopfModule, OnCreate, OnDelete, OnEvent, type ChangeContext, type EventContext } from 'nestjs-kopf';
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
