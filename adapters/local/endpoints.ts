/** The one table of the HTTP API: routing, checking and OpenAPI all follow from it. */
import type { ZodType } from 'zod'
import { bodies, type LocalSchemaName, queries } from './schemas.js'

export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below the mount point; `:name` is one segment, checked by the schema of that name. */
  path: string
  summary: string
  query: ZodType
  body?: ZodType
  /** The body may be missing (its content may stand in the query). */
  bodyOptional?: boolean
  /** The body is no JSON. */
  rawBody?: boolean
  answer: LocalSchemaName | 'events' | 'bytes'
  status: 200 | 201
}

const none = queries.none

export const ENDPOINTS = {
  rooms: {
    method: 'GET',
    path: 'rooms',
    summary: 'All rooms',
    query: none,
    answer: 'LocalRooms',
    status: 200,
  },
  makeRoom: {
    method: 'POST',
    path: 'rooms',
    summary: 'Make a room or a direct conversation',
    query: none,
    body: bodies.makeRoom,
    answer: 'LocalRoom',
    status: 201,
  },
  room: {
    method: 'GET',
    path: 'rooms/:room',
    summary: 'One room',
    query: none,
    answer: 'LocalRoom',
    status: 200,
  },
  changeRoom: {
    method: 'PATCH',
    path: 'rooms/:room',
    summary: 'Rename, archive or restore a room',
    query: none,
    body: bodies.changeRoom,
    answer: 'LocalRoom',
    status: 200,
  },
  messages: {
    method: 'GET',
    path: 'rooms/:room/messages',
    summary: 'A page of messages',
    query: queries.messages,
    answer: 'LocalMessages',
    status: 200,
  },
  say: {
    method: 'POST',
    path: 'rooms/:room/messages',
    summary: 'Say something as a person; the room is made when it is new',
    query: none,
    body: bodies.say,
    answer: 'LocalPosted',
    status: 201,
  },
  message: {
    method: 'GET',
    path: 'rooms/:room/messages/:message',
    summary: 'One message',
    query: none,
    answer: 'LocalMessage',
    status: 200,
  },
  amend: {
    method: 'PATCH',
    path: 'rooms/:room/messages/:message',
    summary: 'Edit an own message',
    query: none,
    body: bodies.amend,
    answer: 'LocalMessage',
    status: 200,
  },
  retract: {
    method: 'DELETE',
    path: 'rooms/:room/messages/:message',
    summary: 'Delete an own message',
    query: queries.author,
    body: bodies.author,
    bodyOptional: true,
    answer: 'LocalMessage',
    status: 200,
  },
  react: {
    method: 'PUT',
    path: 'rooms/:room/messages/:message/reactions/:emoji',
    summary: 'React to a message',
    query: queries.author,
    body: bodies.author,
    bodyOptional: true,
    answer: 'LocalMessage',
    status: 200,
  },
  unreact: {
    method: 'DELETE',
    path: 'rooms/:room/messages/:message/reactions/:emoji',
    summary: 'Take a reaction back',
    query: queries.author,
    body: bodies.author,
    bodyOptional: true,
    answer: 'LocalMessage',
    status: 200,
  },
  press: {
    method: 'POST',
    path: 'rooms/:room/messages/:message/press',
    summary: 'Press a button',
    query: none,
    body: bodies.press,
    answer: 'LocalPressed',
    status: 200,
  },
  upload: {
    method: 'POST',
    path: 'rooms/:room/files',
    summary: 'Upload a file: the raw bytes with `?name=`, or one part of multipart/form-data',
    query: queries.upload,
    rawBody: true,
    answer: 'LocalFile',
    status: 201,
  },
  file: {
    method: 'GET',
    path: 'files/:file',
    summary: 'The bytes of a file',
    query: none,
    answer: 'bytes',
    status: 200,
  },
  people: {
    method: 'GET',
    path: 'people',
    summary: 'Everybody who has spoken, and the bot',
    query: queries.people,
    answer: 'LocalPeople',
    status: 200,
  },
  events: {
    method: 'GET',
    path: 'events',
    summary: 'Changes as server-sent events; resumes by `Last-Event-ID`',
    query: queries.events,
    answer: 'events',
    status: 200,
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof ENDPOINTS
