// #region operator
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { KopfModule, OnCreate, type ChangeContext } from 'nestjs-kopf';

@Injectable()
class GreetingOperator {
  @OnCreate('configmaps.v1', { labels: { greet: 'yes' } })
  greet({ name, namespace, patch, logger }: ChangeContext) {
    logger.log(`Hello, ${name} of ${namespace}!`);
    patch.merge({ data: { greeted: 'yes' } });
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [GreetingOperator] })
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks();
// #endregion
