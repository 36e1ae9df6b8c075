import { Button, Menu, TextInput } from '@mantine/core'
import { useState } from 'react'
import { addPerson, type Person, speakAs, usePeople, useSpeaker } from '../state/speaker.js'
import { Avatar } from '../ui/Avatar.js'
import { Icon } from '../ui/icons.js'

/** Two people may have one name: then their ids tell them apart. */
const twice = (person: Person, people: readonly Person[]): boolean =>
  people.some((one) => one.id !== person.id && one.name === person.name)

/** "Speaking as Alice": several people may share one page. */
export function PersonSwitcher() {
  const speaker = useSpeaker()
  const people = usePeople()
  const [opened, setOpened] = useState(false)
  const [name, setName] = useState('')
  const add = () => {
    addPerson(name, people)
    setName('')
    setOpened(false)
  }
  return (
    <Menu opened={opened} onChange={setOpened} position="top-start" width={230} shadow="md">
      <Menu.Target>
        <button type="button" className="speaker" aria-label={`Speaking as ${speaker.name}. Change`}>
          <Avatar name={speaker.name} agent={false} size={20} />
          <span className="speaker-as">Speaking as</span>
          <strong>{speaker.name}</strong>
          <Icon name="down" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Who is speaking?</Menu.Label>
        <div className="speaker-list">
          {people.map((person) => (
            <Menu.Item
              key={person.id}
              leftSection={<Avatar name={person.name} agent={false} size={22} />}
              rightSection={person.id === speaker.id ? <Icon name="check" size={14} /> : null}
              onClick={() => speakAs(person)}
            >
              {person.name}
              {twice(person, people) && <span className="dim"> ({person.id})</span>}
            </Menu.Item>
          ))}
        </div>
        <Menu.Divider />
        <form
          className="speaker-new"
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <TextInput
            size="xs"
            aria-label="Name of somebody new"
            placeholder="Somebody new"
            value={name}
            maxLength={64}
            onChange={(event) => setName(event.currentTarget.value)}
            // The menu takes letters and arrows as its own: here they belong to the field.
            onKeyDown={(event) => {
              if (event.key !== 'Escape' && event.key !== 'Tab') event.stopPropagation()
            }}
          />
          <Button type="submit" size="xs" disabled={name.trim() === ''}>
            Add
          </Button>
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}
