import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { KopfModule, KopfOperator, OnCreate, OnEvent, TemporaryError, type EventContext } from 'nestjs-kopf';
import { KopfConsoleModule } from 'nestjs-kopf-console';

/** Sees very many objects, and fails on some. */
class Handlers {
  names = 0;

  @OnEvent('kopfexamples.kopf.dev')
  note({ name }: EventContext) {
    this.names += name.length;
  }

  @OnCreate('configmaps', { labels: { fails: 'yes' } })
  create() {
    throw new TemporaryError('There is no room: 3 of 4 are taken.', { delay: 3600 });
  }
}

@Module({ imports: [KopfConsoleModule.forRoot(), KopfModule.forRoot()], providers: [Handlers] })
class AppModule {}

/** Counts the resources that the operator has used up to now. */
export interface Usage {
  /** Seconds of the processor. */
  readonly cpu: number;
  readonly megabytes: number;
}

/** Runs the operator until the parent process goes, and tells it the address, and what was used when it asks; tidies up its memory when it is to. */
export async function runOperator(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  await app.get(KopfOperator).ready();
  process.on('message', (wish) => {
    if (wish === 'tidy') return globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send!({ cpu: (user + system) / 1e6, megabytes: process.memoryUsage.rss() / 1e6 } satisfies Usage);
  });
  process.once('disconnect', () => process.exit());
  process.send!({ address: await app.getUrl() });
}
