import { ActionIcon, type MantineColorScheme, Menu, Tooltip, useMantineColorScheme } from '@mantine/core'
import { Icon, type IconName } from './icons.js'

const CHOICES: readonly { value: MantineColorScheme; label: string; icon: IconName }[] = [
  { value: 'auto', label: 'As the system', icon: 'system' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
]

/** Light, dark, or as the system says. */
export function ThemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const chosen = CHOICES.find((choice) => choice.value === colorScheme) ?? CHOICES[0]
  return (
    <Menu position="top-end" width={170}>
      <Menu.Target>
        <Tooltip label="Colours">
          <ActionIcon variant="subtle" color="gray" aria-label={`Colours: ${chosen?.label}`}>
            <Icon name={chosen?.icon ?? 'system'} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {CHOICES.map((choice) => (
          <Menu.Item
            key={choice.value}
            leftSection={<Icon name={choice.icon} size={16} />}
            rightSection={choice.value === colorScheme ? <Icon name="check" size={14} /> : null}
            onClick={() => setColorScheme(choice.value)}
          >
            {choice.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
