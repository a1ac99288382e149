// #region imports
import { ConsoleLogger, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { KopfModule, OnCreate, type ChangeContext } from 'nestjs-kopf';
import { Logger, LoggerModule } from 'nestjs-pino';
// #endregion

// #region handler
@Injectable()
export class VolumeOperator {
  @OnCreate('disks.example.com')
  create({ logger, spec }: ChangeContext<{ size: string }>) {
    logger.log(`A volume of ${spec.size} is created.`);
    logger.debug(() => `It is like ${JSON.stringify(Object.keys(spec))}.`);
  }
}
// #endregion

// #region module
@Module({ imports: [KopfModule.forRoot()], providers: [VolumeOperator] })
export class AppModule {}
// #endregion

// #region json
/** The logger of the application: one JSON object for each line. */
export const jsonLogger = new ConsoleLogger({ json: true, flattenParams: true });

export async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: jsonLogger });
  await app.listen(3000);
}
// #endregion

// #region pino
@Module({
  imports: [LoggerModule.forRoot({ pinoHttp: { level: 'info' } }), KopfModule.forRoot()],
  providers: [VolumeOperator],
})
export class PinoModule {}

export async function bootstrapPino() {
  const app = await NestFactory.create(PinoModule, { bufferLogs: true });
  app.useLogger(app.get(Logger));
  await app.listen(3000);
}
// #endregion

// #region winston
@Module({
  imports: [KopfModule.forRoot({ logging: { format: 'message', refKey: 'k8s' } })],
  providers: [VolumeOperator],
})
export class WinstonModule {}
// #endregion
