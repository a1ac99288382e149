// #region imports
import { Injectable, Module } from '@nestjs/common';
import { KopfModule, OnCreate, type ChangeContext, type ConnectionInfo, type KopfModuleOptions } from 'nestjs-kopf';
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

// #region kubeconfig
export const fromFile = (path: string): KopfModuleOptions => ({ credentials: path });
// #endregion

// #region fields
export function fromFields(server: string, caData: string, token: string): KopfModuleOptions {
  const credentials: ConnectionInfo = { server, caData, token };
  return { credentials };
}
// #endregion
