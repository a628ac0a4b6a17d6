"""What the page needs in order to draw the controls of settings, and what it says back."""
