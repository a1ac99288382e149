// #region imports
import { readFileSync } from 'node:fs';
import { Injectable, Module, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsNotEmpty, IsPositive, ValidateNested } from 'class-validator';
import {
  AdmissionError,
  Index,
  KopfAdmissionModule,
  KopfModule,
  Mutate,
  Validate,
  type AdmissionContext,
  type IndexContext,
} from 'nestjs-kopf';
import {
  WebhookAutoTunnel,
  WebhookServer,
  type AdmissionReviewer,
  type AdmissionServer,
  type AdmissionServerContext,
} from 'nestjs-kopf/webhooks';
// #endregion

// #region validate
interface NumbersSpec {
  numbers?: unknown;
}

@Injectable()
export class NumbersOperator {
  @Validate('disks.example.com', { operations: ['CREATE', 'UPDATE'] })
  checkNumbers({ spec, warnings }: AdmissionContext<NumbersSpec>) {
    const { numbers = [] } = spec;
    if (!Array.isArray(numbers)) throw new AdmissionError('Numbers must be a list if present.', 422);
    for (const each of numbers) {
      if (Number.isNaN(Number(each))) throw new AdmissionError(`Cannot convert ${JSON.stringify(each)} to a number.`);
      if (typeof each !== 'number') warnings.push(`${JSON.stringify(each)} is not a number but can be converted.`);
    }
  }
}
// #endregion

// #region mutate
@Injectable()
export class DefaultsOperator {
  @Mutate('disks.example.com', { operations: ['CREATE', 'UPDATE'] })
  setDefaults({ spec, patch }: AdmissionContext<NumbersSpec>) {
    if (spec.numbers === undefined) patch.spec.numbers = [1, 2, 3];
  }
}
// #endregion

// #region standby
interface MachineAddress {
  address: string;
}

@Injectable()
export class AddressOperator {
  @Index('disks.example.com')
  byAddress({ spec, name }: IndexContext<MachineAddress>) {
    return { [spec.address]: name };
  }

  @Validate('disks.example.com', { operation: 'CREATE' })
  checkAddress({ spec, indices }: AdmissionContext<MachineAddress>) {
    const [owner] = indices.byAddress.get(spec.address) ?? [];
    if (owner !== undefined) throw new AdmissionError(`${owner} has this address.`, 409);
  }
}
// #endregion

// #region dto
export class Disk {
  @IsNotEmpty() name: string;
}

export class MachineSpec {
  @IsPositive() size: number;
  @ValidateNested({ each: true }) @Type(() => Disk) disks: Disk[] = [];
}

@Injectable()
export class MachineOperator {
  @Validate('disks.example.com', { dto: MachineSpec })
  checkMachine({ spec }: AdmissionContext<MachineSpec>) {
    if (spec.disks.length > spec.size) throw new AdmissionError('There are more disks than fit.', 422);
  }
}
// #endregion

// #region controller
@Module({
  imports: [
    KopfAdmissionModule.forRoot({
      path: 'admission',
      service: { namespace: 'default', name: 'numbers', port: 8443 },
      caBundle: process.env.CA_FILE && readFileSync(process.env.CA_FILE, 'utf8'),
    }),
    KopfModule.forRoot({ admission: { managed: 'numbers.example.com' } }),
  ],
  providers: [NumbersOperator, DefaultsOperator],
})
export class AppModule {}
// #endregion

// #region guard
@Injectable()
export class ApiServerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { socket } = context.switchToHttp().getRequest();
    return socket.authorized === true;
  }
}

@Module({
  imports: [KopfAdmissionModule.forRoot({ guards: [ApiServerGuard] }), KopfModule.forRoot()],
  providers: [NumbersOperator],
})
export class GuardedModule {}
// #endregion

// #region webhooks
export const inCluster = new WebhookServer({
  port: Number(process.env.WEBHOOK_PORT ?? 9443),
  service: { namespace: 'default', name: 'numbers' },
  secret: { namespace: 'default', name: 'numbers-webhooks' },
});

export const withFiles = new WebhookServer({
  host: 'numbers.example.com',
  port: 9443,
  certfile: '/certs/tls.crt',
  pkeyfile: '/certs/tls.key',
  cafile: '/certs/ca.crt',
});

export const inDevelopment = new WebhookAutoTunnel({ token: process.env.NGROK_AUTHTOKEN });
// #endregion

// #region clients
export const verifying = new WebhookServer({
  port: 9443,
  verifyMode: 'required',
  verifyCafile: '/certs/clients-ca.crt',
  cadump: '/tmp/webhooks-ca.crt',
});

@Injectable()
export class SuspiciousOperator {
  @Validate('disks.example.com')
  checkCaller({ sslpeer }: AdmissionContext) {
    if (sslpeer?.subject.CN !== 'kube-apiserver') throw new AdmissionError('Only the API server may ask.', 403);
  }
}
// #endregion

// #region server
export class Tunnel implements AdmissionServer {
  reviewer?: AdmissionReviewer;

  async *serve(review: AdmissionReviewer, { signal }: AdmissionServerContext) {
    this.reviewer = review;
    yield { url: 'https://tunnel.example.com/admission' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
}
// #endregion
