import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AdmissionError, KopfModule, Validate, type AdmissionContext } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';

const { PORT, CERTFILE, PKEYFILE } = process.env;

interface MachineSpec {
  size?: number;
  disks?: unknown[];
}

@Injectable()
class MachineOperator {
  @Validate('kopfexamples.kopf.dev', { operations: ['CREATE', 'UPDATE'] })
  check({ spec, warnings }: AdmissionContext<MachineSpec>) {
    if ((spec.size ?? 0) > 100) throw new AdmissionError('It is too large.', 422);
    if (!spec.disks?.length) warnings.push('There are no disks.');
  }
}

const server = new WebhookServer({ addr: '127.0.0.1', port: Number(PORT), certfile: CERTFILE, pkeyfile: PKEYFILE });

@Module({
  imports: [KopfModule.forRoot({ admission: { server }, posting: { enabled: false } })],
  providers: [MachineOperator],
})
class BenchModule {}

/** Validates for the benchmark until it is stopped. */
const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['warn', 'error'] });
app.enableShutdownHooks();
