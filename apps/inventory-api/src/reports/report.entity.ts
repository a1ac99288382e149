import { ApiProperty } from '@nestjs/swagger';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The stock as it was at one time. */
@Entity()
export class Report {
  @ApiProperty()
  @PrimaryGeneratedColumn()
  id: number;

  @ApiProperty()
  @CreateDateColumn()
  time: Date;

  /** How many items there were. */
  @ApiProperty()
  @Column('integer')
  items: number;

  /** How many pieces there were of all items. */
  @ApiProperty()
  @Column('integer')
  quantity: number;
}
